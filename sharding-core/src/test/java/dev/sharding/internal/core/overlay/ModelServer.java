package dev.sharding.internal.core.overlay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The API server as far as it matters: one order of all changes, optimistic locks, no-op
 * writes, uids, finalizers.
 */
final class ModelServer {

	/** Low enough for a change of length (99 to 100) in the middle of a run. */
	private static final long FIRST_VERSION = 93;

	private final Map<String, ModelObject> objects = new LinkedHashMap<>();

	private final List<Change> log = new ArrayList<>();

	private long version = FIRST_VERSION;

	private int uids;

	long version() {
		return this.version;
	}

	List<Change> log() {
		return this.log;
	}

	Map<String, ModelObject> objects() {
		return this.objects;
	}

	@Nullable ModelObject get(String key) {
		return this.objects.get(key);
	}

	Answer create(String key, boolean scoped, int a, boolean finalizer, String author) {
		if (this.objects.containsKey(key)) {
			return Answer.REFUSED;
		}
		ModelObject created = new ModelObject(key, "u" + ++this.uids, "", scoped, a, 0, finalizer, false);
		return new Answer(change(null, created, author), false);
	}

	Answer patch(String key, @Nullable String base, ModelObject.Field field, int value, String author) {
		ModelObject before = this.objects.get(key);
		if (before == null || (base != null && !base.equals(before.version()))) {
			return Answer.REFUSED;
		}
		ModelObject after = before.with(field, value);
		if (after.equals(before)) {
			return new Answer(before, false);
		}
		if (after.terminating() && !after.finalizer()) {
			change(before, null, author);
			return new Answer(after.at(this.version), false);
		}
		return new Answer(change(before, after, author), false);
	}

	Answer delete(String key, @Nullable String uid, String author) {
		ModelObject before = this.objects.get(key);
		if (before == null || (uid != null && !uid.equals(before.uid()))) {
			return Answer.REFUSED;
		}
		if (before.finalizer()) {
			return new Answer(before.terminating() ? before : change(before, before.terminate(), author), false);
		}
		change(before, null, author);
		return new Answer(before, true);
	}

	private ModelObject change(@Nullable ModelObject before, @Nullable ModelObject after, String author) {
		this.version++;
		ModelObject stored = (after != null) ? after.at(this.version) : null;
		String key = (before != null) ? before.key() : after.key();
		if (stored != null) {
			this.objects.put(key, stored);
		}
		else {
			this.objects.remove(key);
		}
		this.log.add(new Change(this.version, key, before, stored, author));
		return stored;
	}

	/**
	 * One step of the world.
	 */
	record Change(long version, String key, @Nullable ModelObject before, @Nullable ModelObject after, String author) {

		@Nullable ModelObject scopedBefore() {
			return (this.before != null && this.before.scoped()) ? this.before : null;
		}

		@Nullable ModelObject scopedAfter() {
			return (this.after != null && this.after.scoped()) ? this.after : null;
		}

	}

	/**
	 * What a client is told: the object, or for an accomplished delete its last state.
	 */
	record Answer(@Nullable ModelObject object, boolean gone) {

		static final Answer REFUSED = new Answer(null, false);

		boolean refused() {
			return this.object == null;
		}

	}

}
