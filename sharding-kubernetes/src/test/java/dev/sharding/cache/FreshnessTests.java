package dev.sharding.cache;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class FreshnessTests {

	@Test
	void twoVersionsAreReachedByTheLaterOne() {
		assertThat(Freshness.atLeast("10").reaching("9")).isEqualTo(Freshness.atLeast("10"));
		assertThat(Freshness.atLeast("10").reaching("11")).isEqualTo(Freshness.atLeast("11"));
		assertThat(Freshness.ANY.reaching("9")).isEqualTo(Freshness.atLeast("9"));
		assertThat(Freshness.CONSISTENT.reaching("9").isLatest()).isTrue();
		assertThat(Freshness.CONSISTENT.reaching("9").version()).isEqualTo("9");
		assertThat(Freshness.atLeast("10").isLatest()).isFalse();
		Freshness soon = Freshness.atLeast("10").within(Duration.ofSeconds(1)).orLive();
		assertThat(soon.reaching("11")).isEqualTo(Freshness.atLeast("11").within(Duration.ofSeconds(1)).orLive());
	}

	@Test
	void everyReadHasADeadline() {
		assertThat(Freshness.READ_YOUR_WRITES.limit()).isEqualTo(Duration.ofSeconds(10));
		Freshness soon = Freshness.ANY.within(Duration.ofSeconds(1));
		assertThat(soon.limit()).isEqualTo(Duration.ofSeconds(1));
		assertThat(soon.isAny()).isTrue();
		assertThat(soon.isMemory()).isTrue();
		assertThat(soon.reaching("9")).isEqualTo(Freshness.atLeast("9").within(Duration.ofSeconds(1)));
		assertThat(Freshness.CONSISTENT.isMemory()).isFalse();
		assertThat(Freshness.atLeast("9").isMemory()).isFalse();
	}

	@Test
	void liveIsTheLatestAndStaysLive() {
		assertThat(Freshness.LIVE.isLatest()).isTrue();
		assertThat(Freshness.LIVE.isMemory()).isFalse();
		assertThat(Freshness.LIVE.reaching("9").within(Duration.ofSeconds(1)).isLive()).isTrue();
		assertThat(Freshness.LIVE.orLive()).isEqualTo(Freshness.LIVE);
		assertThat(Freshness.CONSISTENT.orLive().isLive()).isFalse();
	}

	@Test
	void refusesWhatHasNoMeaning() {
		assertThatIllegalArgumentException().isThrownBy(() -> Freshness.atLeast("abc"));
		assertThatIllegalArgumentException().isThrownBy(() -> Freshness.CONSISTENT.within(Duration.ZERO));
		assertThatIllegalArgumentException().isThrownBy(() -> Freshness.ANY.within(Duration.ZERO));
		assertThatIllegalStateException().isThrownBy(Freshness.ANY::orLive);
		assertThatIllegalStateException().isThrownBy(Freshness.READ_YOUR_WRITES.within(Duration.ofSeconds(1))::orLive);
	}

}
