package dev.sharding.internal.sharder.webhook;

import java.time.Duration;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CertificateTroubleTests {

	private final CertificateTrouble trouble = new CertificateTrouble();

	private long now = -7;

	@Test
	void isToldOnceItLasts() {
		assertThat(after(100, null)).isNull();
		assertThat(after(5, "the files are gone")).isNull();
		assertThat(after(1, "the files are gone")).isNull();
		assertThat(after(13, "the files are gone")).isNull();
		assertThat(after(1, "the key does not fit")).isEqualTo("the key does not fit");
		assertThat(after(1, null)).isNull();
	}

	@Test
	void beginsAnewWhenItHasPassed() {
		after(1, "the files are gone");
		assertThat(after(14, null)).isNull();
		assertThat(after(1, "the files are gone")).isNull();
		assertThat(after(14, "the files are gone")).isNull();
		assertThat(after(1, "the files are gone")).isEqualTo("the files are gone");
	}

	@Test
	void beginsAnewWithANewCertificate() {
		after(1, "the files are gone");
		this.trouble.end();
		assertThat(after(15, "the files are gone")).isNull();
		assertThat(after(15, "the files are gone")).isEqualTo("the files are gone");
	}

	private @Nullable String after(long seconds, @Nullable String problem) {
		this.now += Duration.ofSeconds(seconds).toNanos();
		this.trouble.look(problem, this.now);
		return this.trouble.lasting();
	}

}
