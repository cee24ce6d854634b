package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.awaitility.Awaitility;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Holds a time bound of the contract against a machine that may be busy with other
 * things: a bare client that creates and reads all the while tells how slow it is. As
 * that does not feel it when only the sharder has to wait, the bound may be missed
 * sometimes. Whoever waits for a resync misses it each time.
 */
public final class Promptness {

	private static final Duration SECOND = Duration.ofSeconds(1);

	private static final Duration LIMIT = Duration.ofSeconds(60);

	private static final int ATTEMPTS = 5;

	private Promptness() {
	}

	/**
	 * Asserts of one of five attempts that an object gets what it waits for within a
	 * second, plus the longest time that a bare client needed meanwhile to create an
	 * object and read it.
	 * @param client used for the bare client as well
	 * @param namespace where the bare client creates ConfigMaps that nobody controls
	 * @param write what makes it due in the attempt of that number, from one
	 * @param done whether it is there in that attempt
	 */
	public static void assertWithinASecond(KubernetesClient client, String namespace, IntConsumer write,
			IntPredicate done) {
		List<Attempt> late = new ArrayList<>();
		for (int number = 1; number <= ATTEMPTS; number++) {
			int current = number;
			write.accept(current);
			Attempt attempt = attempt(client, namespace, () -> done.test(current));
			if (attempt.isInTime()) {
				return;
			}
			late.add(attempt);
		}
		assertThat(late).as("attempts that took more than a second longer than a bare client").isEmpty();
	}

	private static Attempt attempt(KubernetesClient client, String namespace, BooleanSupplier done) {
		long began = System.nanoTime();
		AtomicBoolean ended = new AtomicBoolean();
		CompletableFuture<Duration> bare = CompletableFuture.supplyAsync(() -> longest(client, namespace, ended));
		Duration taken;
		try {
			Awaitility.await()
				.atMost(LIMIT)
				.pollInterval(Duration.ofMillis(20))
				.ignoreExceptions()
				.until(done::getAsBoolean);
			taken = Duration.ofNanos(System.nanoTime() - began);
		}
		finally {
			ended.set(true);
		}
		return new Attempt(taken, bare.orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join());
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

	/**
	 * How an attempt went.
	 *
	 * @param taken how long it took
	 * @param bare how long a bare client took meanwhile
	 */
	private record Attempt(Duration taken, Duration bare) {

		private boolean isInTime() {
			return this.taken.compareTo(SECOND.plus(this.bare)) <= 0;
		}

	}

}
