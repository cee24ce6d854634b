package dev.sharding.test.spring;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.MergedContextConfiguration;

import dev.sharding.internal.core.assignment.HashRing;
import dev.sharding.internal.sharder.ring.ControllerRing;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.ResourceType;
import dev.sharding.test.CustomResourceDefinitions;

/**
 * The ring of a test class: its shards, and what users and sharders do to its objects. It
 * goes away after the last test of the class. Methods may be called from any thread.
 */
public final class TestRing implements AssertProvider<TestRingAssert>, AutoCloseable {

	private static final String CRD = "/dev/sharding/internal/sharder/ring/controllerrings.yaml";

	private final KubernetesClient client;

	private final String name;

	private final List<ResourceType<?>> main;

	private final RingUsers users;

	private final @Nullable RingSharder sharder;

	private final Map<String, TestShard> shards = new LinkedHashMap<>();

	private @Nullable ShardApplication application;

	private TestRing(KubernetesClient client, String name, List<ResourceType<?>> main, RingUsers users,
			@Nullable RingSharder sharder) {
		this.client = client;
		this.name = name;
		this.main = main;
		this.users = users;
		this.sharder = sharder;
	}

	static TestRing create(KubernetesClient client, String namespace, ShardingTest settings) {
		CustomResourceDefinitions.apply(client, CRD);
		for (String crd : settings.crds()) {
			CustomResourceDefinitions.apply(client, crd);
		}
		List<ResourceType<?>> main = types(settings.main());
		if (main.isEmpty()) {
			throw new IllegalArgumentException("'main' of @ShardingTest must name a resource");
		}
		ControllerRing ring = client.resource(RingManifest.of(namespace, main, types(settings.controlled()))).create();
		RingUsers users = new RingUsers(client, namespace);
		try {
			users.install(ring, settings.roles(), settings.ringRoles());
			RingSharder sharder = settings.sharder() ? new RingSharder(users.sharder()) : null;
			return new TestRing(client, namespace, main, users, sharder);
		}
		catch (RuntimeException ex) {
			// Nobody gets a ring that he could close, and those of other classes follow.
			client.resource(ring).delete();
			users.close();
			throw ex;
		}
	}

	private static List<ResourceType<?>> types(Class<? extends HasMetadata>[] classes) {
		return Stream.of(classes).<ResourceType<?>>map(ResourceType::of).toList();
	}

	synchronized void joinAsFirst(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
		Map<String, String> settings = new LinkedHashMap<>();
		settings.put("sharding.auto-startup", "true");
		settings.put("sharding.ring", this.name);
		settings.put("sharding.shard-name", ShardingTest.SHARD);
		// The application may ask for slots, whose shards have other names.
		settings.put("sharding.slots", "0");
		settings.put("sharding.namespaces", this.name);
		settings.put("sharding.lease.namespace", this.name);
		settings.put("sharding.lease.duration", "10s");
		// Those of the application may be impossible with that duration.
		settings.put("sharding.lease.renew-deadline", "");
		settings.put("sharding.lease.retry-period", "");
		// The application may bring both, and the test does.
		settings.put("sharding.definition.apply", "false");
		settings.put("sharding.sharder.enabled", "false");
		ShardApplication joining = new ShardApplication(configuration, settings, this.users.shard());
		joining.join(context, this);
		this.application = joining;
		this.shards.put("", new TestShard(this, context));
	}

	/**
	 * The name of the ring, which is also the name of the only namespace that it covers.
	 * @return the name
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The client of the test.
	 * @return the administrator's client; not to be closed
	 */
	public KubernetesClient client() {
		return this.client;
	}

	/**
	 * The shard of the application under test.
	 * @return the shard
	 */
	public synchronized TestShard shard() {
		return Objects.requireNonNull(this.shards.get(""), "the application under test has not been started");
	}

	/**
	 * Starts the application once more in this JVM, as another shard: the classes,
	 * profiles and properties of the test, without the beans that the test class itself
	 * brings. Web servers listen on a free port. The shard is closed after the last test
	 * of the class, by {@link TestShard#close()}, or before another one of its name
	 * starts.
	 * @param shard the name of the shard
	 * @param properties more properties, as {@code key=value}
	 * @return the shard, which joins the ring in its own time
	 */
	public synchronized TestShard startShard(String shard, String... properties) {
		ShardApplication again = Objects.requireNonNull(this.application,
				"the application under test has not been started");
		TestShard before = this.shards.remove(shard);
		if (before != null) {
			before.close();
		}
		TestShard started = new TestShard(this, again.start(shard().context().getEnvironment(), shard, properties));
		this.shards.put(shard, started);
		return started;
	}

	/**
	 * Reads who owns an object.
	 * @param object namespace and name of an object of the ring
	 * @return the name of the shard; empty if nobody owns the object, or it is gone
	 */
	public Optional<String> ownerOf(HasMetadata object) {
		return label(object, ShardingLabels.shard(this.name));
	}

	/**
	 * Reads whether a shard is asked to let go of an object.
	 * @param object namespace and name of an object of the ring
	 * @return whether it carries the drain label
	 */
	public boolean isDraining(HasMetadata object) {
		return label(object, ShardingLabels.drain(this.name)).isPresent();
	}

	/**
	 * Gives an object to a shard as a sharder does, where {@link ShardingTest#sharder()}
	 * is false.
	 * @param <T> the class of the object
	 * @param object an object that exists
	 * @param shard the name of the shard
	 * @return the new state
	 */
	public <T extends HasMetadata> T assign(T object, String shard) {
		return setLabel(object, ShardingLabels.shard(this.name), shard);
	}

	void requestDrain(HasMetadata object) {
		setLabel(object, ShardingLabels.drain(this.name), ShardingLabels.DRAIN_REQUESTED);
	}

	/* Whatever version the caller has seen. */
	private <T extends HasMetadata> T setLabel(T object, String label, String value) {
		return this.client.resource(object)
			.patch(PatchContext.of(PatchType.JSON_MERGE),
					"{\"metadata\":{\"labels\":{\"%s\":\"%s\"}}}".formatted(label, value));
	}

	/** All main objects, as the API server has them. */
	List<? extends HasMetadata> mainObjects() {
		return this.main.stream()
			.flatMap((type) -> this.client.resources(type.javaType()).inNamespace(this.name).list().getItems().stream())
			.toList();
	}

	synchronized List<String> runningShards() {
		return this.shards.values().stream().filter(TestShard::isRunning).map(TestShard::name).toList();
	}

	/** The shards that own something, as the API server has it. */
	Set<String> owners() {
		String label = ShardingLabels.shard(this.name);
		return mainObjects().stream()
			.map((object) -> object.getMetadata().getLabels().getOrDefault(label, ""))
			.collect(Collectors.toSet());
	}

	/** The law by which the sharder decides; empty where the test does. */
	Optional<HashRing> hashRing(List<String> running) {
		if (this.sharder == null) {
			return Optional.empty();
		}
		List<String> cordoned = this.client.leases()
			.inNamespace(this.name)
			.list()
			.getItems()
			.stream()
			.map(Lease::getMetadata)
			.filter((lease) -> ShardingLabels.isSet(lease.getAnnotations(), ShardingLabels.CORDONED))
			.map(ObjectMeta::getName)
			.toList();
		return Optional.of(HashRing.of(running, cordoned));
	}

	private Optional<String> label(HasMetadata object, String label) {
		HasMetadata current = this.client.resource(object).get();
		return Optional.ofNullable((current != null) ? current.getMetadata().getLabels().get(label) : null);
	}

	@Override
	public TestRingAssert assertThat() {
		return new TestRingAssert(this);
	}

	/** For JUnit, after the last test of the class. */
	@Override
	public synchronized void close() {
		this.shards.values().forEach(TestShard::close);
		this.client.resources(ControllerRing.class).withName(this.name).delete();
		if (this.sharder != null) {
			this.sharder.close();
		}
		this.users.close();
		TestRings.forget(this);
	}

	@Override
	public String toString() {
		return "ring " + this.name;
	}

}
