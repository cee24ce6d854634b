package dev.sharding.demo.broken;

import java.util.Collection;

import dev.sharding.core.fence.ClaimLaw.Claimed;
import dev.sharding.core.fence.FenceDecision;
import dev.sharding.core.lease.Moment;
import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.kubernetes.HandOverOptions;
import dev.sharding.kubernetes.fence.FenceLaw;
import dev.sharding.kubernetes.lease.LeaseTerm;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A shard whose fence lets everything pass: what a reconcile begins, it may write,
 * whatever has become of the Lease meanwhile.
 */
public final class NoFence {

	private NoFence() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		HandOverOptions handOverOptions() {
			return HandOverOptions.DEFAULTS.withFenceLaw(new EverythingPasses());
		}

	}

	private static final class EverythingPasses implements FenceLaw {

		@Override
		public FenceDecision lease(@Nullable LeaseTerm term, Moment now) {
			return new FenceDecision.Allowed();
		}

		@Override
		public FenceDecision object(@Nullable Claimed onBehalfOf, Collection<Claimed> concerned,
				boolean acknowledging) {
			return new FenceDecision.Allowed();
		}

	}

}
