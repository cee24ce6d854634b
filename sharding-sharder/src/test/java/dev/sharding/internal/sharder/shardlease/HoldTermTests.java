package dev.sharding.internal.sharder.shardlease;

import java.time.Duration;
import java.time.Instant;

import dev.sharding.internal.core.lease.HoldDecision.Hold;
import dev.sharding.internal.core.lease.LeaseRecord;
import dev.sharding.internal.core.lease.LeaseWrites;
import dev.sharding.internal.core.lease.Moment;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HoldTermTests {

	private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

	private static final Duration DURATION = Duration.ofSeconds(30);

	private final Moment begun = new Moment(T0, 0);

	private final LeaseRecord held = LeaseWrites.hold(new LeaseRecord("shard-a", "shard-a", T0, T0, 15, 0, "i"),
			DURATION, T0);

	private Moment now = this.begun;

	private final HoldTerm term = new HoldTerm(1, () -> this.now,
			new Hold(this.begun, this.begun, DURATION, Duration.ZERO, false), T0);

	@Test
	void aRenewalThatTookEffectWithoutAnAnswerIsOurs() {
		this.term.renewing(T0.plusSeconds(5));
		this.term.renewing(T0.plusSeconds(6));
		assertThat(this.term.isOurs(renewed(5))).isTrue();
		assertThat(this.term.isOurs(renewed(6))).isTrue();
		assertThat(this.term.isOurs(this.held)).isTrue();
		assertThat(this.term.isOurs(renewed(7))).isFalse();
	}

	@Test
	void whatCameBeforeARenewalThatWasAnsweredIsGone() {
		this.term.renewing(T0.plusSeconds(5));
		this.term.renewing(T0.plusSeconds(6));
		this.term.renewed(this.begun, DURATION, T0.plusSeconds(6));
		assertThat(this.term.isOurs(renewed(6))).isTrue();
		assertThat(this.term.isOurs(renewed(5))).isFalse();
	}

	@Test
	void whoSawItEndSeesItValidNeverMore() {
		assertThat(this.term.isValid()).isTrue();
		Moment sent = after(Duration.ofSeconds(5));
		this.now = after(DURATION.plusSeconds(1));
		assertThat(this.term.isValid()).isFalse();
		this.term.renewed(sent, DURATION, T0.plusSeconds(5));
		assertThat(this.term.isValid()).isFalse();
	}

	@Test
	void isValidAsLongAsItIsRenewedInTime() {
		for (int seconds = 10; seconds <= 100; seconds += 10) {
			this.now = after(Duration.ofSeconds(seconds));
			assertThat(this.term.isValid()).isTrue();
			this.term.renewed(this.now, DURATION, T0.plusSeconds(seconds));
		}
	}

	private static Moment after(Duration time) {
		return new Moment(T0.plus(time), time.toNanos());
	}

	@Test
	void aLeaseOfSomebodyElseIsNotOurs() {
		assertThat(this.term.isOurs(new LeaseRecord("shard-a", "shard-a", T0, T0, 15, 0, "i"))).isFalse();
	}

	private LeaseRecord renewed(int seconds) {
		return LeaseWrites.renew(this.held, DURATION, T0.plusSeconds(seconds));
	}

}
