package dev.sharding.controlplane;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class EnvtestArchiveTests {

	@Test
	void leavesAStepThatHangs() {
		CountDownLatch never = new CountDownLatch(1);
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> EnvtestArchive.within(Duration.ofMillis(100), () -> {
				never.await();
				return "late";
			}))
			.withMessageStartingWith("no answer from raw.githubusercontent.com");
	}

	@Test
	void givesResultOfAStepThatEnds() throws IOException {
		assertThat(EnvtestArchive.within(Duration.ofMinutes(1), () -> "done")).isEqualTo("done");
	}

}
