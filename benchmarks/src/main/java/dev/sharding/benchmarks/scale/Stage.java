package dev.sharding.benchmarks.scale;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import dev.sharding.benchmarks.cluster.HeldLeases;
import dev.sharding.benchmarks.cluster.LeaderLease;
import dev.sharding.benchmarks.cluster.Rings;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.test.Access;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

/**
 * Where a part plays: a control plane, a namespace for objects and one for the Leases of
 * shards. Sharder and bare client are users as all others are, so that the API server
 * treats them alike.
 */
final class Stage implements AutoCloseable {

	/** The ring of most parts. */
	static final String RING = "bench";

	/** Where its objects are. */
	static final String NAMESPACE = "bench";

	/** The shards of the ring. */
	static final List<String> SHARDS = List.of("shard-0", "shard-1", "shard-2");

	private static final PolicyRule EVERYTHING = new PolicyRuleBuilder().withApiGroups("*")
		.withResources("*")
		.withVerbs("*")
		.build();

	private final Options options;

	private final ControlPlane controlPlane;

	private final Path kubeconfig;

	private final HeldLeases leases;

	private final Population population;

	private final BareClient bareClient;

	Stage(Options options) throws IOException {
		this.options = options;
		this.controlPlane = ControlPlane.builder()
			.auditPolicy(Requests.POLICY)
			.etcdFlags("--quota-backend-bytes=8589934592")
			.start();
		namespace(NAMESPACE, "selected");
		namespace("shards", "no");
		Rings.define(client());
		LeaderLease.free(client());
		this.kubeconfig = this.controlPlane.user("sharder", EVERYTHING).kubeconfigFile();
		Access bare = this.controlPlane.user("bare", EVERYTHING);
		this.bareClient = new BareClient(bare.client());
		this.leases = new HeldLeases(this.controlPlane.admin().client(), "shards");
		this.population = new Population(this.controlPlane.admin().client());
	}

	void namespace(String name, String selected) {
		client()
			.resource(new NamespaceBuilder().withNewMetadata()
				.withName(name)
				.addToLabels("bench", selected)
				.endMetadata()
				.build())
			.create();
	}

	ControlPlane controlPlane() {
		return this.controlPlane;
	}

	int objects() {
		return this.options.objects();
	}

	Options options() {
		return this.options;
	}

	/** Of the administrator. */
	KubernetesClient client() {
		return this.controlPlane.client();
	}

	HeldLeases leases() {
		return this.leases;
	}

	Population population() {
		return this.population;
	}

	BareClient bareClient() {
		return this.bareClient;
	}

	/** All three shards of the ring are there. */
	void holdShards() {
		SHARDS.forEach((shard) -> this.leases.hold(RING, shard));
	}

	/** Follows the objects of a resource from now on, for the ring. */
	Tally tally(String path) {
		return new Tally(this.controlPlane.admin().client(), path, RING);
	}

	Acknowledger acknowledger() {
		return new Acknowledger(this.controlPlane.admin().client());
	}

	/** Counts requests of the sharder from now on. */
	Requests requests() throws IOException {
		return new Requests(this.controlPlane.apiServer().auditLog());
	}

	/**
	 * Starts a sharder with much heap.
	 * @param collecting see {@link MeasuredSharder#start}
	 */
	MeasuredSharder sharder(boolean collecting, String... arguments) throws IOException {
		return sharder(this.options.heapMebibytes(), collecting, arguments);
	}

	MeasuredSharder sharder(long heap, boolean collecting, String... arguments) throws IOException {
		return MeasuredSharder.start(client(), this.kubeconfig, heap, collecting, List.of(arguments));
	}

	void createRing() {
		Rings.create(client(), RING, Rings.SECRETS);
	}

	/** A ring of the namespaces with the label {@code bench: selected}. */
	void createRingOfSelected() {
		Rings.create(client(), RING,
				Rings.SECRETS.replaceFirst("\\{", "{namespaceSelector: {matchLabels: {bench: selected}}, "));
	}

	/** Deletes the ring while no sharder runs, so that none knows that there was one. */
	void forgetRing() {
		client().resources(ControllerRing.class).withName(RING).delete();
		client().configMaps().inNamespace("sharding-system").withName("sharder-rings").delete();
	}

	@Override
	public void close() {
		this.leases.close();
		this.controlPlane.close();
	}

}
