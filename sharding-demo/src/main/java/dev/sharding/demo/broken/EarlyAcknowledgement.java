package dev.sharding.demo.broken;

import java.util.Collection;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.sharding.core.ShardingLabels;
import dev.sharding.core.fence.ClaimLaw.Claimed;
import dev.sharding.core.fence.FenceDecision;
import dev.sharding.core.lease.Moment;
import dev.sharding.example.ChecksumApplication;
import dev.sharding.kubernetes.HandOverOptions;
import dev.sharding.kubernetes.Shard;
import dev.sharding.kubernetes.drain.DrainHandler;
import dev.sharding.kubernetes.fence.FenceLaw;
import dev.sharding.kubernetes.lease.LeaseTerm;
import dev.sharding.kubernetes.resource.ResourceType;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ApplicationRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A shard that acknowledges a drain as soon as it sees the label, whatever it is doing
 * with the object. Its updates are slow, so that it is often doing something.
 */
public final class EarlyAcknowledgement {

	private EarlyAcknowledgement() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	static class Fault {

		@Bean
		KubernetesClient kubernetesClient() {
			return new KubernetesClientBuilder()
				.withHttpClientBuilderConsumer(
						(builder) -> builder.addOrReplaceInterceptor("slow-updates", new SlowUpdates()))
				.build();
		}

		/*
		 * Who acknowledges whatever he is doing does not know either that his claim ends
		 * with that. The Lease is looked at as ever.
		 */
		@Bean
		HandOverOptions handOverOptions() {
			return HandOverOptions.DEFAULTS.withFenceLaw(new EveryObjectPasses());
		}

		/*
		 * The worker that has the key is not asked: the acknowledgement goes out from the
		 * thread that sees the event.
		 */
		@Bean
		ApplicationRunner earlyAcknowledgement(KubernetesClient client, Shard shard, DrainHandler drains) {
			return (arguments) -> {
				SharedIndexInformer<Secret> draining = client.secrets()
					.inAnyNamespace()
					.withLabel(ShardingLabels.shard(shard.ring()), shard.name())
					.withLabel(ShardingLabels.drain(shard.ring()))
					.runnableInformer(0);
				draining.addEventHandler(new ResourceEventHandler<>() {

					@Override
					public void onAdd(Secret secret) {
						drains.acknowledge(ResourceType.of(Secret.class), secret);
					}

					@Override
					public void onUpdate(Secret before, Secret after) {
						drains.acknowledge(ResourceType.of(Secret.class), after);
					}

					@Override
					public void onDelete(Secret secret, boolean unknown) {
						// It is acknowledged.
					}

				});
				draining.run();
			};
		}

	}

	/** Forgets that claims end, as long as the Lease is held. */
	private static final class EveryObjectPasses implements FenceLaw {

		@Override
		public FenceDecision lease(@Nullable LeaseTerm term, Moment now) {
			return FenceLaw.CONTRACT.lease(term, now);
		}

		@Override
		public FenceDecision object(@Nullable Claimed onBehalfOf, Collection<Claimed> concerned,
				boolean acknowledging) {
			return new FenceDecision.Allowed();
		}

	}

	/** Holds every update of a ConfigMap back before it is sent. */
	private static final class SlowUpdates implements Interceptor {

		private static final long HELD_BACK_MILLIS = 4000;

		@Override
		public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
			if (request.method().equals("PUT") && request.uri().getPath().contains("/configmaps/")) {
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(HELD_BACK_MILLIS));
				if (Thread.currentThread().isInterrupted()) {
					// The Lease was lost: that is not the fault to be shown.
					throw new IllegalStateException("Interrupted before the update was sent");
				}
			}
		}

	}

}
