package dev.sharding.internal.kubernetes.fence;

import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static dev.sharding.internal.kubernetes.Interleavings.assertFaultIsFound;
import static dev.sharding.internal.kubernetes.Interleavings.check;
import static dev.sharding.internal.kubernetes.Interleavings.play;
import static dev.sharding.internal.kubernetes.Interleavings.together;

/**
 * Whoever makes a claim and whoever ends it may come in any order: none is live when both
 * are done and the object is not ours.
 */
@Tag("long")
class ClaimsInterleavingTests {

	private static final ResourceType<ConfigMap> TYPE = ResourceType.of(ConfigMap.class);

	private static final GroupResource RESOURCE = TYPE.groupResource();

	private static final ObjectKey KEY = new ObjectKey("ns", "a");

	private static final Moment NOW = new Moment(Instant.EPOCH, 0);

	private static final ConfigMap OURS = object("1", "s1");

	private static final ConfigMap LATER = object("3", "s1");

	private static final ConfigMap THEIRS = object("2", "s2");

	@Test
	void noClaimOutlivesTheEventThatAnotherHasTheObject() {
		play(() -> {
			World world = new World();
			together(world::claim, () -> world.see(THEIRS));
			world.checkNoneIsLive();
		});
	}

	@Test
	void noClaimOutlivesTheTerm() {
		play(() -> {
			World world = new World();
			together(world::claim, world.claims::end);
			world.checkNoneIsLive();
		});
	}

	@Test
	void noClaimOutlivesTheDrainThatIsAcknowledged() {
		play(() -> {
			World world = new World();
			AtomicReference<Claim> letGo = new AtomicReference<>();
			together(world::claim, () -> {
				letGo.set(world.claims.letGo(RESOURCE, OURS));
				check(!letGo.get().isLive(), "live while it is let go");
			});
			world.checkNoneIsLive();
			world.claims.ended(letGo.get());
		});
	}

	@Test
	void nobodyIsGivenALiveClaimAfterTheDrainWasAcknowledged() {
		play(20_000, () -> {
			World world = new World();
			AtomicBoolean acknowledged = new AtomicBoolean();
			together(world::claim, () -> {
				world.claims.letGo(RESOURCE, OURS);
				acknowledged.set(true);
			}, () -> {
				boolean late = acknowledged.get();
				Claim given = world.claims.of(RESOURCE, KEY);
				check(!late || given == null || !given.isLive(), "live after the acknowledgement");
			});
		});
	}

	@Test
	void noClaimOutlivesTheAnswerThatAnotherHasTheObject() {
		play(() -> {
			World world = new World();
			together(world::claim, () -> world.claims.lost(RESOURCE, THEIRS.getMetadata()));
			world.checkNoneIsLive();
		});
	}

	@Test
	void twoWhoClaimGetOneClaimThatComesBackWithTheObjectAfterADrain() {
		play(() -> {
			World world = new World();
			AtomicReference<Claim> other = new AtomicReference<>();
			together(world::claim, () -> other.set(world.claims.of(RESOURCE, KEY)));
			check(other.get() != null && other.get() == world.claimed, "two claims");
			// The object comes back while the drain of what it was before is
			// acknowledged.
			together(() -> world.claims.letGo(RESOURCE, OURS), () -> world.see(LATER));
			check(!other.get().isLive(), "live again");
			check(world.claims.of(RESOURCE, KEY) != other.get(), "comes back");
		});
	}

	/** The order that the class asks of its callers, the wrong way round. */
	@Test
	void aStoreThatChangesAfterItsEventIsFound() {
		assertFaultIsFound(() -> {
			World world = new World();
			together(world::claim, () -> {
				world.tell(THEIRS);
				world.store.put(KEY, THEIRS);
			});
			world.checkNoneIsLive();
		});
	}

	private static ConfigMap object(String version, String shard) {
		ObjectMeta metadata = new ObjectMeta();
		metadata.setNamespace(KEY.namespace());
		metadata.setName(KEY.name());
		metadata.setResourceVersion(version);
		metadata.setLabels(Map.of(ShardingLabels.shard("ring"), shard));
		ConfigMap object = new ConfigMap();
		object.setMetadata(metadata);
		return object;
	}

	/** A shard in its term, which has seen an object as its own. */
	private static final class World {

		private final Map<ObjectKey, ConfigMap> store = new ConcurrentHashMap<>();

		private final Claims claims = new Claims("ring", "s1", () -> NOW);

		private final InformerHandler<ConfigMap> observer = this.claims.follow(TYPE, this.store::get, (key) -> null);

		/** Read when its thread has ended. */
		private @Nullable Claim claimed;

		World() {
			this.store.put(KEY, OURS);
			this.claims.open();
		}

		void claim() {
			this.claimed = this.claims.of(RESOURCE, KEY);
		}

		void see(ConfigMap object) {
			this.store.put(KEY, object);
			tell(object);
		}

		void tell(ConfigMap object) {
			this.observer.onEvent(new InformerEvent.Updated<>(OURS, object, false));
		}

		void checkNoneIsLive() {
			check(this.claimed == null || !this.claimed.isLive(), "the claim is live");
			check(this.claims.of(RESOURCE, KEY) == null, "there is a claim");
		}

	}

}
