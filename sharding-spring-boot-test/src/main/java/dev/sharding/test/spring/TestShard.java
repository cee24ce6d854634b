package dev.sharding.test.spring;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import org.assertj.core.api.AssertProvider;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;

import dev.sharding.shard.RuntimePhase;
import dev.sharding.shard.Shard;

/**
 * A shard of a {@link TestRing}, in this JVM. Methods may be called from any thread.
 */
public final class TestShard implements AssertProvider<TestShardAssert>, AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(60);

	private static final int STOLEN_FOR_SECONDS = 1;

	private static final DateTimeFormatter RENEW_TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'")
		.withZone(ZoneOffset.UTC);

	private final TestRing ring;

	private final ConfigurableApplicationContext context;

	TestShard(TestRing ring, ConfigurableApplicationContext context) {
		this.ring = ring;
		this.context = context;
	}

	/**
	 * The application.
	 * @return its context, for its beans
	 */
	public ConfigurableApplicationContext context() {
		return this.context;
	}

	/**
	 * The name of the shard.
	 * @return the name
	 */
	public String name() {
		return shard().name();
	}

	/**
	 * How the shard stands.
	 * @return the phase; {@link RuntimePhase#STOPPED} once its application is closed
	 */
	public RuntimePhase phase() {
		return this.context.isActive() ? shard().phase() : RuntimePhase.STOPPED;
	}

	/**
	 * Asks the shard to let go of an object as a sharder does, by the drain label.
	 * Returns at once; when the label is gone ({@link TestRing#isDraining}), the shard
	 * has let go.
	 * @param object an object that the shard owns
	 * @throws IllegalArgumentException if it does not
	 */
	public void drain(HasMetadata object) {
		String owner = this.ring.ownerOf(object).orElse("nobody");
		if (!owner.equals(name())) {
			throw new IllegalArgumentException("'object' must be owned by %s (%s is by %s)".formatted(name(),
					object.getMetadata().getName(), owner));
		}
		this.ring.requestDrain(object);
	}

	/**
	 * Takes the Lease from the shard, as somebody with kubectl could, and returns when
	 * the shard has noticed. It joins again, if {@code sharding.lease.on-loss} lets it,
	 * when it has seen the Lease unchanged for as long as its own lasts: after 10 s,
	 * unless {@code sharding.lease.duration} says otherwise.
	 */
	public void loseLease() {
		String stolen = """
				{"spec":{"holderIdentity":"somebody-else","leaseDurationSeconds":%d,"renewTime":"%s"}}"""
			.formatted(STOLEN_FOR_SECONDS, RENEW_TIME.format(Instant.now()));
		this.ring.client()
			.leases()
			.inNamespace(this.ring.name())
			.withName(name())
			.patch(PatchContext.of(PatchType.JSON_MERGE), stolen);
		Awaitility.await("the shard to notice that its Lease is lost")
			.atMost(TIMEOUT)
			.pollInterval(Duration.ofMillis(5))
			.until(() -> !isRunning());
	}

	boolean isRunning() {
		return phase() == RuntimePhase.RUNNING;
	}

	/** Who the Lease says holds it; empty if nobody does. */
	String leaseHolder() {
		@Nullable Lease lease = this.ring.client().leases().inNamespace(this.ring.name()).withName(name()).get();
		String holder = (lease != null) ? lease.getSpec().getHolderIdentity() : null;
		return (holder != null) ? holder : "";
	}

	TestRing ring() {
		return this.ring;
	}

	private Shard shard() {
		return this.context.getBean(Shard.class);
	}

	@Override
	public TestShardAssert assertThat() {
		return new TestShardAssert(this);
	}

	/** Stops the application, gracefully. */
	@Override
	public void close() {
		this.context.close();
	}

	@Override
	public String toString() {
		return this.context.isActive() ? "shard " + name() : "a stopped shard of " + this.ring;
	}

}
