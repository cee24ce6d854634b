package dev.sharding.benchmarks.rollout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import dev.sharding.benchmarks.cluster.Launch;

/**
 * The replicas of a workload, and what the controller of such a workload does with them.
 */
final class Fleet implements AutoCloseable {

	private final Naming naming;

	private final Launch launch;

	private final Path kubeconfig;

	private final Path logs;

	private final Map<String, Replica> replicas = new LinkedHashMap<>();

	private final List<Replica> leaving = new ArrayList<>();

	private int version = 1;

	private int started;

	Fleet(Naming naming, Launch launch, Path kubeconfig, Path logs) {
		this.naming = naming;
		this.launch = launch;
		this.kubeconfig = kubeconfig;
		this.logs = logs;
	}

	/** The pods that are to be there. */
	Set<String> pods() {
		return new HashSet<>(this.replicas.keySet());
	}

	String oldest() {
		return this.replicas.keySet().iterator().next();
	}

	/**
	 * Further replicas of the present version, all at once; returns when all are ready.
	 */
	void scaleUp(int count) throws IOException {
		List<Replica> more = new ArrayList<>();
		for (int i = 0; i < count; i++) {
			more.add(start(this.naming == Naming.STATEFUL ? "shard-" + this.replicas.size() : newName()));
		}
		more.forEach(Replica::awaitReady);
	}

	/** The next replicas are of a new version. */
	void nextVersion() {
		this.version++;
	}

	private String newName() {
		return "v" + this.version + "-" + ++this.started;
	}

	private Replica start(String pod) throws IOException {
		Replica replica = Replica.start(this.naming, pod, "v" + this.version, this.launch, this.kubeconfig, this.logs);
		this.replicas.put(pod, replica);
		return replica;
	}

	/** Asks a pod to stop, and does not wait. */
	void stop(String pod) {
		Replica replica = remove(pod);
		replica.stop();
		this.leaving.add(replica);
	}

	/** Kills a pod, and does not replace it. */
	void kill(String pod) {
		remove(pod).kill();
	}

	private Replica remove(String pod) {
		return Objects.requireNonNull(this.replicas.remove(pod), pod);
	}

	/**
	 * A new version by a Deployment with a surge of one and none unavailable: who is on
	 * the way out does not count.
	 */
	void rollOutWithSurge() throws IOException {
		nextVersion();
		for (String old : List.copyOf(this.replicas.keySet())) {
			start(newName()).awaitReady();
			stop(old);
		}
	}

	/** The same with one unavailable and no surge. */
	void rollOutUnavailable() throws IOException {
		nextVersion();
		for (String old : List.copyOf(this.replicas.keySet())) {
			stop(old);
			start(newName()).awaitReady();
		}
	}

	/**
	 * A new version by a StatefulSet: the last one first, each after the end of the old.
	 */
	void rollOutInOrder() throws IOException {
		nextVersion();
		List<String> names = new ArrayList<>(this.replicas.keySet());
		for (int i = names.size() - 1; i >= 0; i--) {
			stop(names.get(i));
			awaitEnds();
			start(names.get(i)).awaitReady();
		}
	}

	/** Waits until all that were asked to stop have. */
	void awaitEnds() {
		this.leaving.forEach(Replica::awaitEnd);
		this.leaving.clear();
	}

	@Override
	public void close() {
		this.replicas.values().forEach(Replica::kill);
		this.leaving.forEach(Replica::kill);
	}

}
