package dev.sharding.autoconfigure;

import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.autoconfigure.settings.ShardingProperties.Readiness;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;
import dev.sharding.internal.kubernetes.informer.InformerStatus;
import dev.sharding.internal.kubernetes.lease.LeaseStatus;
import dev.sharding.internal.kubernetes.reconcile.Controller;
import dev.sharding.internal.kubernetes.usercode.StuckCall;
import dev.sharding.shard.RuntimePhase;

import static org.assertj.core.api.Assertions.assertThat;

class ReadinessHealthIndicatorTests {

	private final Fake part = new Fake();

	@Test
	void staysUpOnceJoined() {
		assertThat(status(Readiness.ONCE)).isEqualTo(Status.OUT_OF_SERVICE);
		this.part.phase = RuntimePhase.RUNNING;
		this.part.joined = true;
		assertThat(status(Readiness.ONCE)).isEqualTo(Status.UP);
		this.part.phase = RuntimePhase.ISOLATED;
		assertThat(status(Readiness.ONCE)).isEqualTo(Status.UP);
	}

	@Test
	void fallsBackIfToldTo() {
		this.part.phase = RuntimePhase.RUNNING;
		this.part.joined = true;
		assertThat(status(Readiness.FOLLOW)).isEqualTo(Status.UP);
		this.part.phase = RuntimePhase.ACQUIRING;
		assertThat(status(Readiness.FOLLOW)).isEqualTo(Status.OUT_OF_SERVICE);
	}

	@Test
	void hasNothingToWaitForWithoutControllers() {
		this.part.started = false;
		assertThat(new ReadinessHealthIndicator(List.of(this.part), Readiness.ONCE).health().getStatus())
			.isEqualTo(Status.UP);
	}

	@Test
	void aStandbyIsReady() {
		this.part.phase = RuntimePhase.ACQUIRING;
		this.part.lease = new LeaseStatus(LeaseStatus.Phase.ACQUIRING, null, "another", null, null);
		assertThat(status(Readiness.FOLLOW)).isEqualTo(Status.OUT_OF_SERVICE);
		this.part.standby = true;
		assertThat(status(Readiness.FOLLOW)).isEqualTo(Status.UP);
	}

	private Status status(Readiness readiness) {
		return new ReadinessHealthIndicator(List.of(this.part), readiness).health().getStatus();
	}

	private static final class Fake implements ControllerPart {

		private RuntimePhase phase = RuntimePhase.SYNCING;

		private @Nullable LeaseStatus lease;

		private boolean started = true;

		private boolean joined;

		private boolean standby;

		@Override
		public String name() {
			return "fake";
		}

		@Override
		public boolean start() {
			return true;
		}

		@Override
		public void stop() {
		}

		@Override
		public RuntimePhase phase() {
			return this.phase;
		}

		@Override
		public Map<String, InformerStatus> informers() {
			return Map.of();
		}

		@Override
		public ReadStrategies readStrategies() {
			throw new UnsupportedOperationException();
		}

		@Override
		public List<Controller<?>> controllers() {
			return List.of();
		}

		@Override
		public List<StuckCall> stuckCalls() {
			return List.of();
		}

		@Override
		public @Nullable LeaseStatus lease() {
			return this.lease;
		}

		@Override
		public boolean isStarted() {
			return this.started;
		}

		@Override
		public boolean hasJoined() {
			return this.joined;
		}

		@Override
		public boolean isStandby() {
			return this.standby;
		}

	}

}
