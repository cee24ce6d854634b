package dev.sharding.internal.core.lease;

import java.time.Duration;

import dev.sharding.internal.core.lease.HoldDecision.GiveBack;
import dev.sharding.internal.core.lease.HoldDecision.Hold;
import dev.sharding.internal.core.lease.HoldDecision.LetRunOut;
import dev.sharding.internal.core.lease.HoldDecision.LookAgain;
import dev.sharding.internal.core.lease.HoldDecision.Renew;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.core.lease.Observed.at;
import static org.assertj.core.api.Assertions.assertThat;

class HoldDecisionTests {

	private static final Hold HOLD = new Hold(at(0), at(0), Duration.ofSeconds(16), Duration.ofSeconds(2), false);

	@Test
	void renewsEveryQuarterOfTheDurationWhileWanted() {
		assertThat(HoldDecision.of(HOLD, true, at(1))).isEqualTo(new LookAgain(Duration.ofSeconds(3)));
		assertThat(HoldDecision.of(HOLD, true, at(4))).isEqualTo(new Renew());
	}

	@Test
	void givesBackWhatIsNotWantedOncePeopleCouldSeeIt() {
		assertThat(HoldDecision.of(HOLD, false, at(1))).isEqualTo(new LookAgain(Duration.ofSeconds(1)));
		assertThat(HoldDecision.of(HOLD, false, at(2))).isEqualTo(new GiveBack());
	}

	@Test
	void renewsWhatIsNotWantedAsLongAsItIsShown() {
		Hold shown = new Hold(at(0), at(0), Duration.ofSeconds(4), Duration.ofSeconds(2), false);
		assertThat(HoldDecision.of(shown, false, at(0.5))).isEqualTo(new LookAgain(Duration.ofMillis(500)));
		assertThat(HoldDecision.of(shown, false, at(1))).isEqualTo(new Renew());
	}

	@Test
	void letsRunOutWhatItsShardMustNotHaveBackSoon() {
		Hold foreign = new Hold(at(0), at(0), Duration.ofSeconds(30), Duration.ZERO, true);
		assertThat(HoldDecision.of(foreign, false, at(1))).isEqualTo(new LetRunOut());
	}

}
