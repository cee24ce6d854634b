package dev.sharding.internal.kubernetes.qos;

import java.util.Random;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** What the metrics page of an API server says of its storage. */
class StorageUseTests {

	private static final String PAGE = """
			# HELP apiserver_storage_size_bytes [STABLE] Size of the storage database file physically allocated in bytes.
			# TYPE apiserver_storage_size_bytes gauge
			apiserver_storage_size_bytes{storage_cluster_id="etcd-0"} 4.509696e+06
			apiserver_storage_size_bytes{storage_cluster_id="etcd-1"} 20480
			apiserver_storage_size_bytes_other{a="b"} 9e+09
			""";

	private static final String SPOILS = " \n{}.e+-90\u0660x\"";

	@Test
	void readsTheLargest() {
		assertThat(StorageUse.sizeIn(PAGE)).isEqualTo(4_509_696);
	}

	@ParameterizedTest
	@CsvSource({ "20480, 20480", "20480 1764230400000, 20480", "2.5e3, 2500", "0, 0" })
	void readsValuesAsTheyAreWritten(String written, double size) {
		assertThat(StorageUse.sizeIn("apiserver_storage_size_bytes{a=\"b c\"} " + written)).isEqualTo(size);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "NaN", "+Inf", "-1", "twenty", "1e", "1.2.3", "0x1p3", "20f", "20d" })
	void knowsNothingFromWhatIsNoSize(String written) {
		assertThat(StorageUse.sizeIn("apiserver_storage_size_bytes{} " + written)).isNaN();
	}

	@Property(tries = 1_500, shrinking = ShrinkingMode.OFF)
	void readsASizeOrNothingOfWhateverComes(@ForAll long seed) {
		Random random = new Random(seed);
		char[] page = PAGE.toCharArray();
		for (int i = random.nextInt(8); i >= 0; i--) {
			page[random.nextInt(page.length)] = SPOILS.charAt(random.nextInt(SPOILS.length()));
		}
		double size = StorageUse.sizeIn(new String(page, 0, random.nextInt(page.length + 1)));
		assertThat(Double.isNaN(size) || size >= 0).isTrue();
	}

}
