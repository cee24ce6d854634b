package dev.sharding.internal.core.assignment;

import java.util.NavigableSet;
import java.util.TreeSet;

import dev.sharding.internal.core.assignment.DrainWorld.Thing;
import org.jspecify.annotations.Nullable;

/**
 * Numbers the versions of an object that somebody knows, so that worlds are equal that
 * differ in nothing but what nobody knows any more.
 */
final class DrainVersions {

	private final NavigableSet<Integer> known = new TreeSet<>();

	void note(@Nullable Thing thing) {
		if (thing != null) {
			this.known.add(thing.version());
		}
	}

	void note(int version) {
		this.known.add(version);
	}

	int of(int version) {
		return this.known.headSet(version, false).size();
	}

	@Nullable Thing of(@Nullable Thing thing) {
		return (thing != null) ? new Thing(of(thing.version()), thing.shard(), thing.drain()) : null;
	}

}
