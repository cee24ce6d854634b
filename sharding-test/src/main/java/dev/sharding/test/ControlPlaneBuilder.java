package dev.sharding.test;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;

import dev.sharding.controlplane.ControlPlaneBinaries;
import org.jspecify.annotations.Nullable;

/**
 * Describes a control plane. Each start gives a new one.
 */
public final class ControlPlaneBuilder {

	/**
	 * An audit policy that writes each request with its body and its response.
	 */
	public static final String AUDIT_EVERYTHING = """
			apiVersion: audit.k8s.io/v1
			kind: Policy
			omitStages: [RequestReceived]
			rules:
			- level: RequestResponse
			""";

	private final List<String> flags = new ArrayList<>();

	private final List<String> etcdFlags = new ArrayList<>();

	private final Map<String, Boolean> featureGates = new LinkedHashMap<>();

	private @Nullable String auditPolicy;

	private IntSupplier ports = Ports::next;

	ControlPlaneBuilder() {
	}

	/**
	 * Adds flags for the API servers. A flag that we set as well is overridden.
	 * @param flags such as "--max-requests-inflight=10"
	 * @return this
	 */
	public ControlPlaneBuilder flags(String... flags) {
		this.flags.addAll(List.of(flags));
		return this;
	}

	/**
	 * Adds flags for etcd. A flag that we set as well is overridden.
	 * @param flags such as "--quota-backend-bytes=8589934592", for more than 2 GiB of
	 * objects and their history
	 * @return this
	 */
	public ControlPlaneBuilder etcdFlags(String... flags) {
		this.etcdFlags.addAll(List.of(flags));
		return this;
	}

	/**
	 * Sets a feature gate of the API servers.
	 * @param name such as "ShardedListAndWatch"
	 * @param enabled whether the feature is on
	 * @return this
	 */
	public ControlPlaneBuilder featureGate(String name, boolean enabled) {
		this.featureGates.put(name, enabled);
		return this;
	}

	/**
	 * Makes the API servers write audit logs, see {@link ApiServer#auditLog()}.
	 * @param policy a policy as YAML, such as {@link #AUDIT_EVERYTHING}
	 * @return this
	 */
	public ControlPlaneBuilder auditPolicy(String policy) {
		this.auditPolicy = policy;
		return this;
	}

	ControlPlaneBuilder ports(IntSupplier ports) {
		this.ports = ports;
		return this;
	}

	/**
	 * Starts etcd and one API server, and waits until they are ready. Installs the
	 * programs where that has not happened yet.
	 * @return the control plane; close it, or it runs until the JVM ends
	 * @throws ControlPlaneDiedException if a process ends while it starts
	 * @throws IllegalStateException if it is not ready in time
	 * @throws dev.sharding.controlplane.ControlPlaneUnavailableException if the programs
	 * are not on this machine and cannot be installed
	 */
	public ControlPlane start() {
		ControlPlaneBinaries binaries = ControlPlaneBinaries.install(System.err::println);
		return Starter.start(binaries, allFlags(), List.copyOf(this.etcdFlags), this.auditPolicy, this.ports);
	}

	private List<String> allFlags() {
		List<String> all = new ArrayList<>(this.flags);
		if (!this.featureGates.isEmpty()) {
			all.add(this.featureGates.entrySet()
				.stream()
				.map((gate) -> gate.getKey() + "=" + gate.getValue())
				.collect(Collectors.joining(",", "--feature-gates=", "")));
		}
		return List.copyOf(all);
	}

}
