package dev.sharding.demo.broken;

import java.time.Duration;
import java.time.Instant;

import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.ContextClosedEvent;

import dev.sharding.demo.Waiting;
import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.internal.core.slot.SlotWrites;
import dev.sharding.internal.core.slot.TermProgress;
import dev.sharding.internal.kubernetes.lease.LeaseRecords;
import dev.sharding.shard.Shard;

/**
 * A shard that gives its slot back as it should, and once more when the next holder has
 * it.
 */
public final class FreesTwice {

	private FreesTwice() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		Twice twice(KubernetesClient client, Shard shard) {
			return new Twice(client, shard);
		}

	}

	/** Notes its slot before all else stops, and frees it after all else has. */
	static final class Twice implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

		private static final Duration TAKEN_WITHIN = Duration.ofSeconds(10);

		private final KubernetesClient client;

		private final Shard shard;

		private String slot = "";

		private boolean running;

		private Twice(KubernetesClient client, Shard shard) {
			this.client = client;
			this.shard = shard;
		}

		@Override
		public void onApplicationEvent(ContextClosedEvent event) {
			this.slot = this.shard.name();
		}

		@Override
		public int getPhase() {
			return Integer.MIN_VALUE;
		}

		@Override
		public void start() {
			this.running = true;
		}

		@Override
		public void stop() {
			this.running = false;
			// It has given the slot back: whoever has it now is another.
			if (!this.slot.isEmpty() && FaultSwitch.isOn() && Waiting.holds(TAKEN_WITHIN, this::isTaken)) {
				Lease lease = lease().get();
				this.client
					.resource(LeaseRecords.write(lease,
							SlotWrites.giveBack(LeaseRecords.slotLease(lease), TermProgress.BEGUN, Instant.now())))
					.update();
			}
		}

		private boolean isTaken() {
			return this.slot.equals(lease().get().getSpec().getHolderIdentity());
		}

		private Resource<Lease> lease() {
			return this.client.leases().inNamespace(System.getenv("SHARDING_LEASE_NAMESPACE")).withName(this.slot);
		}

		@Override
		public boolean isRunning() {
			return this.running;
		}

	}

}
