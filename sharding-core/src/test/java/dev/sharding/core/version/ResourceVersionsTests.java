package dev.sharding.core.version;

import java.math.BigInteger;

import dev.sharding.core.version.ResourceVersions.Order;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.BigRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ResourceVersionsTests {

	@ParameterizedTest
	@CsvSource({ "1, 1, SAME", "1, 2, BEFORE", "2, 1, AFTER", "9, 10, BEFORE", "100, 99, AFTER",
			"9223372036854775807, 9223372036854775808, BEFORE",
			"340282366920938463463374607431768211455, 340282366920938463463374607431768211454, AFTER" })
	void ordersByLengthThenDigits(String left, String right, Order order) {
		assertThat(ResourceVersions.compare(left, right)).isEqualTo(order);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "0", "01", "abc", "1a", "-1", " 1", "1٣" })
	void refusesToCompareWhatIsNoVersion(String version) {
		assertThat(ResourceVersions.compare(version, "7")).isEqualTo(Order.NOT_COMPARABLE);
		assertThat(ResourceVersions.compare("7", version)).isEqualTo(Order.NOT_COMPARABLE);
	}

	@Property
	void agreesWithNumbers(@ForAll @BigRange(min = "1", max = "340282366920938463463374607431768211455") BigInteger a,
			@ForAll @BigRange(min = "1", max = "340282366920938463463374607431768211455") BigInteger b) {
		Order expected = (a.compareTo(b) < 0) ? Order.BEFORE : (a.compareTo(b) > 0) ? Order.AFTER : Order.SAME;
		assertThat(ResourceVersions.compare(a.toString(), b.toString())).isEqualTo(expected);
	}

}
