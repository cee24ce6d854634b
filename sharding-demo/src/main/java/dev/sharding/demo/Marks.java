package dev.sharding.demo;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Writes into the audit log what the judge cannot know: where a step begins and ends, and
 * what was done to whom, so that it asks for nothing that cannot be.
 */
public final class Marks {

	/** Everything and everybody. */
	public static final String ALL = "*";

	/** Whoever gives objects their owners. */
	public static final String SHARDER = "sharder";

	private static final String NAME = "judge-mark";

	/** The API server may be away for a while, and when it begins it knows no rights. */
	private static final Duration WRITTEN_WITHIN = Duration.ofSeconds(90);

	private static final Duration AGAIN_AFTER = Duration.ofMillis(200);

	private final KubernetesClient client;

	private String step = "start";

	Marks(KubernetesClient client) {
		this.client = client;
		client
			.resource(new ConfigMapBuilder().withNewMetadata()
				.withName(NAME)
				.withNamespace(Names.SYSTEM_NAMESPACE)
				.endMetadata()
				.withData(Map.of("step", this.step, "phase", "begin"))
				.build())
			.create();
	}

	/** A step begins. */
	public synchronized void begin(String step) {
		this.step = step;
		write("begin", "", Names.WORKERS);
	}

	/** Says that all is quiet now: from here on the judge takes what it sees. */
	public void quiescent() {
		write("quiescent", "", 0);
	}

	/**
	 * A process is about to be stopped.
	 * @param user the user that it is
	 * @param workers how many requests it may have on their way at a time
	 */
	public void stopped(String user, int workers) {
		write("stopped", user, workers);
	}

	/** The process goes on. */
	public void resumed(String user) {
		write("resumed", user, 0);
	}

	/** Nothing can be expected of this subject: {@code namespace/name}, or a shard. */
	public void disturbed(String subject) {
		write("disturbed", subject, 0);
	}

	/** It has its peace again. */
	public void calm(String subject) {
		write("calm", subject, 0);
	}

	/** The API server began anew: it will not answer what it has not. */
	public void cut() {
		write("cut", "", 0);
	}

	/** The store is about to be copied. */
	public void snapshot() {
		write("snapshot", "", 0);
	}

	/**
	 * The store is that copy again: what came later never happened.
	 * @param version up to which version the copy goes
	 * @param stopped when the API server that knew what came later had ended
	 */
	public void restored(long version, Instant stopped) {
		write("restored", version + " " + stopped, 0);
	}

	/** Runs what disturbs a subject. */
	void disturb(String subject, Disturbance disturbance) throws IOException {
		disturbed(subject);
		try {
			disturbance.run();
		}
		finally {
			calm(subject);
		}
	}

	/**
	 * Without the end of what is disturbed, all that comes after it would be excused: a
	 * mark is written again until it is there. One that is there twice says the same.
	 */
	private synchronized void write(String phase, String subject, int workers) {
		String patch = "{\"data\":{\"step\":\"%s\",\"phase\":\"%s\",\"subject\":\"%s\",\"workers\":\"%d\"}}"
			.formatted(this.step, phase, subject, workers);
		long begin = System.nanoTime();
		while (!written(patch, System.nanoTime() - begin < WRITTEN_WITHIN.toNanos())) {
			Waiting.pause(AGAIN_AFTER);
		}
	}

	private boolean written(String patch, boolean again) {
		try {
			MergePatch.send(this.client, "/api/v1/namespaces/" + Names.SYSTEM_NAMESPACE + "/configmaps/" + NAME, patch);
			return true;
		}
		catch (RuntimeException ex) {
			if (again) {
				return false;
			}
			throw ex;
		}
	}

	/** What is done meanwhile. */
	interface Disturbance {

		void run() throws IOException;

	}

}
