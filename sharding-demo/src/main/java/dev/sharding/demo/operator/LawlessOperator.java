package dev.sharding.demo.operator;

import java.util.Collection;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import dev.sharding.demo.held.HeldShard;
import dev.sharding.internal.core.fence.ClaimLaw.Claimed;
import dev.sharding.internal.core.fence.FenceDecision;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.kubernetes.fence.FenceLaw;
import dev.sharding.internal.kubernetes.handover.HandOverOptions;
import dev.sharding.internal.kubernetes.lease.LeaseTerm;
import dev.sharding.josdk.OperatorCustomizer;

/**
 * The operator with a fence that lets everything pass, and writes that the API server
 * does not refuse either.
 */
public final class LawlessOperator {

	private LawlessOperator() {
	}

	/** Runs it. */
	public static void main(String[] arguments) {
		new SpringApplication(HeldOperator.Operator.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		/*
		 * An update of the SDK carries the version that it saw; what it applies does not.
		 */
		@Bean
		OperatorCustomizer unconditionalWrites() {
			return (configuration) -> configuration.withDefaultNonSSAResource(Set.of());
		}

		@Bean
		HandOverOptions handOverOptions() {
			return HandOverOptions.DEFAULTS.withFenceLaw(new FenceLaw() {

				@Override
				public FenceDecision lease(@Nullable LeaseTerm term, Moment now) {
					return new FenceDecision.Allowed();
				}

				@Override
				public FenceDecision object(@Nullable Claimed onBehalfOf, Collection<Claimed> concerned,
						boolean acknowledging) {
					return new FenceDecision.Allowed();
				}

			});
		}

	}

}
