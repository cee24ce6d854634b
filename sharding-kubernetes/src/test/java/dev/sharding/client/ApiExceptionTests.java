package dev.sharding.client;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ApiExceptionTests {

	/* A webhook may deny the change of one object for now, with any status. */
	@ParameterizedTest
	@CsvSource({ "429,'',true", "503,'',true", "429,one,false", "503,one,false", "403,'',false", "500,'',false",
			"0,'',false" })
	void tellsARefusalOfOneObjectFromAnOverload(int status, String object, boolean overload) {
		ApiException refusal = new ApiException(status, "", Duration.ofMinutes(5), object, true, false, "planned",
				null);
		assertThat(refusal.isOverload()).isEqualTo(overload);
	}

}
