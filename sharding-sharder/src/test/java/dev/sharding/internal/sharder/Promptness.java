package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds a time bound of the contract against a machine that may be busy with other
 * things: a bare client that creates and reads all the while tells how slow it is.
 */
public final class Promptness {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private Promptness() {
	}

	/**
	 * Asserts that an object gets what it waits for within a second, plus the longest
	 * time that a bare client needed meanwhile to create an object and read it.
	 * @param client used for the bare client as well
	 * @param namespace where the bare client creates ConfigMaps that nobody controls
	 * @param write what makes it due
	 * @param done whether it is there
	 */
	public static void assertWithinASecond(KubernetesClient client, String namespace, Runnable write,
			Callable<Boolean> done) {
		AtomicBoolean ended = new AtomicBoolean();
		CompletableFuture<Duration> bare = CompletableFuture.supplyAsync(() -> longest(client, namespace, ended));
		Duration taken;
		try {
			write.run();
			long began = System.nanoTime();
			Awaitility.await().atMost(LIMIT).pollInterval(Duration.ofMillis(20)).ignoreExceptions().until(done);
			taken = Duration.ofNanos(System.nanoTime() - began);
		}
		finally {
			ended.set(true);
		}
		Duration allowance = bare.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
		assertThat(taken).as("a bare client needed %s at most", allowance).isLessThanOrEqualTo(SECOND.plus(allowance));
	}

	private static Duration longest(KubernetesClient client, String namespace, AtomicBoolean ended) {
		Duration longest = Duration.ZERO;
		do {
			long began = System.nanoTime();
			String name = client
				.resource(new ConfigMapBuilder().withNewMetadata()
					.withNamespace(namespace)
					.withGenerateName("bare-")
					.endMetadata()
					.build())
				.create()
				.getMetadata()
				.getName();
			client.configMaps().inNamespace(namespace).withName(name).get();
			Duration taken = Duration.ofNanos(System.nanoTime() - began);
			longest = (taken.compareTo(longest) > 0) ? taken : longest;
		}
		while (!ended.get());
		return longest;
	}

}
