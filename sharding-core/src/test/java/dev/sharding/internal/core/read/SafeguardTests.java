package dev.sharding.internal.core.read;

import dev.sharding.internal.core.read.Safeguard.Support;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class SafeguardTests {

	@ParameterizedTest
	@CsvSource({ "FULL,,ON", "FULL,true,ON", "FULL,false,OFF", "COSTLY,,WARN", "COSTLY,true,ON", "COSTLY,false,OFF",
			"UNKNOWN,,WARN", "UNKNOWN,true,WARN", "UNKNOWN,false,OFF", "NOT_COMPARABLE,,OFF",
			"NOT_COMPARABLE,true,ABORT", "NOT_COMPARABLE,false,OFF" })
	void looksUpWhatToDo(Support support, @Nullable Boolean decided, Safeguard expected) {
		assertThat(Safeguard.of(support, decided)).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "1,31,FULL", "1,36+,FULL", "1,30,COSTLY", "1,9,COSTLY", "2,0,UNKNOWN", "1,'',UNKNOWN", "1,x,UNKNOWN",
			"'','',UNKNOWN" })
	void readsVersions(String major, String minor, Support expected) {
		assertThat(Support.ofServer(major, minor)).isEqualTo(expected);
	}

}
