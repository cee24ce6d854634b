package dev.sharding.internal.core.read;

import java.math.BigInteger;
import java.util.stream.Stream;

import dev.sharding.internal.core.read.ResourceVersions.Order;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.BigRange;
import org.junit.jupiter.api.Test;
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

	@Test
	void ordersWhatIsNoVersionBeforeAllOthers() {
		assertThat(Stream.of("10", "abc", "9", "1").sorted(ResourceVersions.OLDEST_FIRST)).containsExactly("abc", "1",
				"9", "10");
		assertThat(ResourceVersions.OLDEST_FIRST.compare(null, "1")).isNegative();
		assertThat(ResourceVersions.OLDEST_FIRST.compare(null, "abc")).isZero();
	}

	@ParameterizedTest
	@CsvSource({ "2, 1", "10, 9", "1000, 999", "1100, 1099", "18446744073709551616, 18446744073709551615" })
	void knowsTheMomentBefore(String version, String before) {
		assertThat(ResourceVersions.before(version)).isEqualTo(before);
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "0", "1", "01", "abc" })
	void knowsNoMomentBefore(String version) {
		assertThat(ResourceVersions.before(version)).isNull();
	}

	@Property
	void theMomentBeforeIsOneLess(
			@ForAll @BigRange(min = "2", max = "340282366920938463463374607431768211455") BigInteger version) {
		assertThat(ResourceVersions.before(version.toString())).isEqualTo(version.subtract(BigInteger.ONE).toString());
	}

	@Property
	void agreesWithNumbers(@ForAll @BigRange(min = "1", max = "340282366920938463463374607431768211455") BigInteger a,
			@ForAll @BigRange(min = "1", max = "340282366920938463463374607431768211455") BigInteger b) {
		Order expected = (a.compareTo(b) < 0) ? Order.BEFORE : (a.compareTo(b) > 0) ? Order.AFTER : Order.SAME;
		assertThat(ResourceVersions.compare(a.toString(), b.toString())).isEqualTo(expected);
	}

}
