package dev.sharding.internal.kubernetes.fence;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.Supplier;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import org.jspecify.annotations.Nullable;

import dev.sharding.cache.InformerEvent;
import dev.sharding.cache.InformerHandler;
import dev.sharding.internal.core.fence.ClaimLaw;
import dev.sharding.internal.core.fence.ClaimState;
import dev.sharding.internal.core.lease.Moment;
import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.protocol.Responsibility;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * The claims of a shard on main objects. They begin only between {@link #open()} and
 * {@link #end()}, that is within a Lease term and when the informers have caught up with
 * it, and for objects that the informers show as ours. Safe for use by many threads.
 */
public final class Claims {

	/*
	 * Whoever makes a claim looks again after it is in the map, and whoever ends claims
	 * changes first what that look sees: the store, the version let go of, or 'open'. So
	 * a claim that should not be is found by one of the two. Until its maker has looked,
	 * whoever else finds it looks, too.
	 */

	private final String ring;

	private final Supplier<String> shard;

	private final Supplier<Moment> now;

	private final List<Main> mains = new CopyOnWriteArrayList<>();

	private final Map<Id, Claim> claims = new ConcurrentHashMap<>();

	/**
	 * Objects that we gave away, in the version that we saw then, perhaps before the
	 * informers.
	 */
	private final Map<Id, String> letGo = new ConcurrentHashMap<>();

	private volatile boolean open;

	/**
	 * Creates claims, none of which begin before {@link #open()}.
	 * @param ring the name of the ControllerRing
	 * @param shard the name of the shard
	 * @param now reads the clocks
	 */
	public Claims(String ring, String shard, Supplier<Moment> now) {
		this(ring, () -> shard, now);
	}

	/**
	 * Creates claims of a shard whose name changes, but not between {@link #open()} and
	 * {@link #end()}.
	 * @param ring the name of the ControllerRing
	 * @param shard tells the name of the shard, empty while it has none
	 * @param now reads the clocks
	 */
	public Claims(String ring, Supplier<String> shard, Supplier<Moment> now) {
		this.ring = ring;
		this.shard = shard;
		this.now = now;
	}

	/**
	 * Has claims follow a main resource.
	 * @param <T> the class of its objects
	 * @param type the main resource
	 * @param store finds an object among those that carry our shard label, as the
	 * informer has them, or {@code null}
	 * @param unfit finds the metadata of one that does not fit its class as it is now, or
	 * {@code null}; it is asked first
	 * @return to be added to the informer as an observer
	 */
	public <T extends HasMetadata> InformerHandler<T> follow(ResourceType<T> type,
			Function<ObjectKey, @Nullable T> store, Function<ObjectKey, @Nullable ObjectMeta> unfit) {
		this.mains.add(new Main(type, store::apply, unfit));
		return (event) -> happened(type.groupResource(), event);
	}

	/** Has claims follow nothing any more, until they are told to anew. */
	public void unfollow() {
		this.mains.clear();
	}

	/** From now on claims may begin. */
	public void open() {
		this.open = true;
	}

	/** Ends all claims; none begins until {@link #open()}. */
	public void end() {
		this.open = false;
		this.claims.forEach((id, claim) -> {
			claim.endWithTerm();
			end(id);
		});
		this.letGo.clear();
	}

	/**
	 * The claim on an object, which may begin with this call.
	 * @param resource the resource of the object
	 * @param key the object
	 * @return a claim that was live a moment ago, or {@code null}
	 */
	public @Nullable Claim of(GroupResource resource, ObjectKey key) {
		Id id = new Id(resource, key);
		Claim present = this.claims.get(id);
		if (present != null && present.isConfirmed()) {
			return present;
		}
		if (!begins(id)) {
			return null;
		}
		Claim made = this.claims.computeIfAbsent(id, (absent) -> new Claim(resource, key));
		if (!begins(id)) {
			end(id);
			return null;
		}
		made.confirm();
		return made;
	}

	/**
	 * Ends a claim by acknowledging a drain. What is still allowed is the one write that
	 * does it, until the claim is {@linkplain #ended ended}.
	 * @param resource the resource of the object
	 * @param object the object as it was seen
	 * @return the claim
	 */
	public Claim letGo(GroupResource resource, HasMetadata object) {
		Id id = new Id(resource, ObjectKey.of(object));
		this.letGo.put(id, String.valueOf(object.getMetadata().getResourceVersion()));
		Claim removed = this.claims.remove(id);
		Claim claim = (removed != null) ? removed : new Claim(resource, id.key());
		claim.become(ClaimState.LETTING_GO, this.now.get());
		return claim;
	}

	/**
	 * Ends a claim that {@link #letGo} has returned.
	 * @param claim the claim
	 */
	public void ended(Claim claim) {
		claim.become(ClaimState.ENDED, this.now.get());
	}

	/**
	 * Ends the claim on an object that somebody else has, as an answer of the API server
	 * has shown before the informer did.
	 * @param resource the resource of the object
	 * @param seen the object as it was answered, perhaps while the shard had another name
	 */
	public void lost(GroupResource resource, ObjectMeta seen) {
		Id id = new Id(resource, ObjectKey.of(seen));
		String version = String.valueOf(seen.getResourceVersion());
		List<ObjectMeta> stored = found(id);
		if (isOurs(seen) || stored.stream()
			.anyMatch((one) -> ResourceVersions.compare(one.getResourceVersion(), version) == Order.AFTER)) {
			// The answer was long under way.
			return;
		}
		if (!stored.isEmpty()) {
			this.letGo.put(id, version);
			if (found(id).isEmpty()) {
				// It has just gone, and nobody will tell so again.
				this.letGo.remove(id, version);
			}
		}
		end(id);
	}

	/**
	 * Tells whether claims follow a resource.
	 * @param resource a resource
	 * @return whether it is a main resource that was given to {@link #follow}
	 */
	public boolean follows(GroupResource resource) {
		return this.mains.stream().anyMatch((main) -> main.type().groupResource().equals(resource));
	}

	/** The main resources. */
	List<ResourceType<?>> mains() {
		return this.mains.stream().<ResourceType<?>>map(Main::type).toList();
	}

	private boolean begins(Id id) {
		ObjectMeta stored = this.open ? stored(id) : null;
		return stored != null && ClaimLaw.begins(isOurs(stored), stored.getResourceVersion(), this.letGo.get(id));
	}

	private boolean isOurs(ObjectMeta metadata) {
		String name = this.shard.get();
		return !name.isEmpty() && Responsibility.of(metadata.getLabels(), this.ring, name) != Responsibility.NOT_MINE;
	}

	/*
	 * A resource may be read as several classes: what they do not agree on is not known,
	 * nor is what fits none of them, as nobody tells when it goes. What does not fit one
	 * of them is no reason to keep it from the others.
	 */
	private @Nullable ObjectMeta stored(Id id) {
		ObjectMeta found = null;
		boolean fits = false;
		for (Main main : this.mains) {
			if (main.type().groupResource().equals(id.resource())) {
				Stored one = main.find(id.key());
				if (one == null || (found != null && !isSameVersion(found, one.metadata()))) {
					return null;
				}
				found = one.metadata();
				fits |= one.fits();
			}
		}
		return fits ? found : null;
	}

	/* As each class has it that does. */
	private List<ObjectMeta> found(Id id) {
		return this.mains.stream()
			.filter((main) -> main.type().groupResource().equals(id.resource()))
			.map((main) -> main.find(id.key()))
			.filter(Objects::nonNull)
			.map(Stored::metadata)
			.toList();
	}

	private static boolean isSameVersion(ObjectMeta one, ObjectMeta other) {
		return Objects.equals(one.getResourceVersion(), other.getResourceVersion());
	}

	/* Under the lock of the store. */
	private void happened(GroupResource resource, InformerEvent<?> event) {
		if (event instanceof InformerEvent.Removed<?> removed) {
			Id id = new Id(resource, ObjectKey.of(removed.last()));
			this.letGo.remove(id);
			end(id);
		}
		else if (event instanceof InformerEvent.Updated<?> updated) {
			ObjectMeta after = updated.after().getMetadata();
			if (ResourceVersions.compare(after.getResourceVersion(),
					updated.before().getMetadata().getResourceVersion()) == Order.BEFORE) {
				// What we have done since is undone, by a restore of etcd.
				this.letGo.remove(new Id(resource, ObjectKey.of(updated.after())));
			}
			changed(resource, after);
		}
		else if (event instanceof InformerEvent.Undecodable<?> undecodable) {
			changed(resource, undecodable.metadata());
		}
	}

	private void changed(GroupResource resource, ObjectMeta metadata) {
		Id id = new Id(resource, ObjectKey.of(metadata));
		String given = this.letGo.isEmpty() ? null : this.letGo.get(id);
		if (given != null && ClaimLaw.isSince(metadata.getResourceVersion(), given)) {
			this.letGo.remove(id, given);
		}
		if (!isOurs(metadata)) {
			end(id);
		}
	}

	private void end(Id id) {
		Claim claim = this.claims.remove(id);
		if (claim != null) {
			claim.become(ClaimState.ENDED, this.now.get());
		}
	}

	/**
	 * A main resource.
	 *
	 * @param type the resource
	 * @param store finds an object that carries our shard label
	 * @param unfit finds the metadata of one that does not fit its class
	 */
	private record Main(ResourceType<?> type, Function<ObjectKey, @Nullable HasMetadata> store,
			Function<ObjectKey, @Nullable ObjectMeta> unfit) {

		@Nullable Stored find(ObjectKey key) {
			ObjectMeta metadata = this.unfit.apply(key);
			if (metadata != null) {
				return new Stored(metadata, false);
			}
			HasMetadata object = this.store.apply(key);
			return (object != null) ? new Stored(object.getMetadata(), true) : null;
		}

	}

	/**
	 * An object as an informer has it.
	 *
	 * @param metadata its metadata
	 * @param fits whether it fits the class of the resource
	 */
	private record Stored(ObjectMeta metadata, boolean fits) {
	}

	/**
	 * An object among all resources.
	 *
	 * @param resource the resource
	 * @param key the object
	 */
	private record Id(GroupResource resource, ObjectKey key) {
	}

}
