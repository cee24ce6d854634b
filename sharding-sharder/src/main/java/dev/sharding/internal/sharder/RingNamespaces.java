package dev.sharding.internal.sharder;

import java.time.Duration;
import java.util.Set;
import java.util.function.ToIntFunction;

import dev.sharding.internal.sharder.ring.NamespaceChange;
import dev.sharding.internal.sharder.ring.NamespaceFilter;
import org.jspecify.annotations.Nullable;

/**
 * The namespaces that come into the scope of one ring and leave it. One that does neither
 * costs nothing, whatever happens to it. Lives on the sharder's thread.
 */
final class RingNamespaces {

	private final NamespaceChurn churn = new NamespaceChurn();

	private final SharderParts parts;

	private final ToIntFunction<Set<String>> turned;

	/**
	 * @param turned gets namespaces that have come or left, perhaps both, since it got
	 * them last, and says how many lists that costs
	 */
	RingNamespaces(SharderParts parts, ToIntFunction<Set<String>> turned) {
		this.parts = parts;
		this.turned = turned;
	}

	void changed(NamespaceChange change, NamespaceFilter filter) {
		if (filter.isTurnedBy(change)) {
			lookAfter(this.churn.add(change.name(), now()));
		}
	}

	private void lookAfter(@Nullable Duration wait) {
		if (wait != null) {
			this.parts.loop().schedule(this::look, wait);
		}
	}

	private void look() {
		Set<String> names = this.churn.look(now());
		if (!names.isEmpty()) {
			lookAfter(this.churn.cost(this.turned.applyAsInt(names), now()));
		}
	}

	private long now() {
		return this.parts.nanoTime().getAsLong();
	}

}
