package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import dev.sharding.cache.InformerEvent;
import dev.sharding.internal.core.overlay.ObservedEvent;
import dev.sharding.internal.core.overlay.OwnChange;
import dev.sharding.internal.core.overlay.OwnWrite;
import dev.sharding.internal.core.overlay.ReadView;
import dev.sharding.internal.core.overlay.Sight;
import dev.sharding.internal.kubernetes.informer.store.Store;
import dev.sharding.internal.kubernetes.informer.store.Told;
import dev.sharding.resource.ObjectKey;
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
 * Whoever has written reads what it wrote or what came later, and nobody reads an older
 * state after a newer one, whatever lists and watches tell meanwhile.
 */
@Tag("long")
class OverlayInterleavingTests {

	/** A step of these scenes takes many times as long as one of others. */
	private static final int ORDERS = 40;

	private static final ObjectKey KEY = new ObjectKey("ns", "a");

	@Test
	void aWriteIsReadWhileAWatchShowsIt() {
		play(ORDERS, () -> {
			World world = new World();
			together(() -> world.writeAndRead(2), () -> world.watch(2));
			check(world.read() == 2, "not the last one at the end");
		});
	}

	@Test
	void aWriteIsReadWhileAWatchShowsALaterOne() {
		play(ORDERS, () -> {
			World world = new World();
			together(() -> world.writeAndRead(2), () -> {
				world.watch(2);
				world.watch(3);
			});
			check(world.read() == 3, "not the last one at the end");
		});
	}

	@Test
	void aWriteIsReadWhileAListShowsIt() {
		play(ORDERS, () -> {
			World world = new World();
			together(() -> world.writeAndRead(2), () -> Told.byList(world.store, object(2)));
			check(world.read() == 2, "not the last one at the end");
		});
	}

	@Test
	void nobodyGoesBackWhileAnotherWrites() {
		play(ORDERS, () -> {
			World world = new World();
			together(() -> world.write(2), () -> world.watch(2), () -> {
				int first = world.read();
				check(world.read() >= first, "went back");
			});
		});
	}

	@Test
	void aWriteIsListedWhileAWatchShowsIt() {
		play(ORDERS, () -> {
			World world = new World();
			together(() -> {
				world.write(2);
				check(world.listed() >= 2, "not what was written");
			}, () -> world.watch(2));
		});
	}

	/** The store and the overlay, the wrong way round. */
	@Test
	void anOverlayThatForgetsBeforeTheStoreShowsIsFound() {
		assertFaultIsFound(() -> {
			World world = new World();
			together(() -> world.writeAndRead(2), () -> {
				world.feed.change((overlay) -> overlay.event(new ObservedEvent.Updated<>(object(1), object(2)), 0));
				world.told = false;
				world.watch(2);
			});
		});
	}

	private static ConfigMap object(int version) {
		ObjectMeta metadata = new ObjectMeta();
		metadata.setNamespace(KEY.namespace());
		metadata.setName(KEY.name());
		metadata.setUid("uid");
		metadata.setResourceVersion(String.valueOf(version));
		ConfigMap object = new ConfigMap();
		object.setMetadata(metadata);
		return object;
	}

	/** A store that has the object in version 1, and the own writes of its reader. */
	private static final class World {

		private final Store<ConfigMap> store = new Store<>(Set.of(), Map.of(), this::tell);

		private final Feed<ConfigMap> feed = new Feed<>("", new ScopedAccess<>(null, ""), new NoQuestions(),
				new QuestionPace(Duration.ofSeconds(1), () -> 0), this.store, () -> 0);

		private boolean told;

		World() {
			Told.byList(this.store, object(1));
			this.told = true;
		}

		/* As the informer does, under the lock of the store. */
		private void tell(InformerEvent<ConfigMap> event) {
			if (!this.told) {
				return;
			}
			if (event instanceof InformerEvent.Updated<ConfigMap> updated) {
				this.feed.change(
						(overlay) -> overlay.event(new ObservedEvent.Updated<>(updated.before(), updated.after()), 0));
			}
			else if (event instanceof InformerEvent.RelistStarted<ConfigMap>) {
				this.feed.relistStarted();
			}
			else if (event instanceof InformerEvent.RelistFinished<ConfigMap> relist) {
				this.feed.relistFinished(relist.version());
			}
		}

		void watch(int version) {
			Told.byWatch(this.store, object(version));
		}

		void write(int version) {
			OwnWrite<ObjectKey, ConfigMap> write = new OwnWrite.Update<>("writer", KEY, "1", OwnChange.unknown());
			long id = this.feed.with((overlay) -> overlay.sent(write, 0));
			this.feed.with((overlay) -> overlay.returned(id, object(version), 0));
		}

		void writeAndRead(int version) {
			write(version);
			int first = read();
			check(first >= version, "not what was written");
			check(read() >= first, "went back");
		}

		int read() {
			return version(Objects.requireNonNull(this.feed.get(KEY, new Unasked())));
		}

		int listed() {
			ReadView<ObjectKey, ConfigMap> view = this.feed.view(this.feed.mark());
			Sight<ObjectKey, Collection<ConfigMap>> sight = this.store.read((stored) -> view.list(stored.list(),
					(any) -> true, stored::get, stored.watermark(KEY.namespace())));
			check(sight instanceof Sight.Known, "has to ask");
			return version(((Sight.Known<ObjectKey, Collection<ConfigMap>>) sight).result().iterator().next());
		}

		private static int version(ConfigMap object) {
			return Integer.parseInt(object.getMetadata().getResourceVersion());
		}

	}

	/** Nothing of all this is in doubt. */
	private static final class NoQuestions implements ScopeQuestions<ConfigMap> {

		@Override
		public CompletableFuture<Answer<ConfigMap>> find(@Nullable ObjectKey key, Duration limit) {
			throw new AssertionError("asked");
		}

		@Override
		public CompletableFuture<Listing> list(Duration limit) {
			throw new AssertionError("asked");
		}

		@Override
		public CompletableFuture<String> version() {
			throw new AssertionError("asked");
		}

	}

	private static final class Unasked implements Deadline {

		@Override
		public Duration left() {
			return Duration.ofSeconds(1);
		}

		@Override
		public <R> R await(CompletableFuture<R> answer) {
			throw new AssertionError("asked");
		}

	}

}
