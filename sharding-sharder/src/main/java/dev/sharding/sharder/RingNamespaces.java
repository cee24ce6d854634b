package dev.sharding.sharder;

import java.time.Duration;
import java.util.Set;
import java.util.function.Consumer;

import dev.sharding.sharder.ring.NamespaceChange;
import dev.sharding.sharder.ring.NamespaceFilter;

/**
 * The namespaces that come into the scope of one ring and leave it. One that does neither
 * costs nothing, whatever happens to it. Lives on the sharder's thread.
 */
final class RingNamespaces {

	private final NamespaceChurn churn = new NamespaceChurn();

	private final SharderParts parts;

	private final Consumer<Set<String>> turned;

	/**
	 * @param turned gets the namespaces that have come or left, perhaps both, since it
	 * was called last
	 */
	RingNamespaces(SharderParts parts, Consumer<Set<String>> turned) {
		this.parts = parts;
		this.turned = turned;
	}

	void changed(NamespaceChange change, NamespaceFilter filter) {
		if (filter.isTurnedBy(change)) {
			Duration wait = this.churn.add(change.name(), this.parts.nanoTime().getAsLong());
			if (wait != null) {
				this.parts.loop()
					.schedule(() -> this.turned.accept(this.churn.look(this.parts.nanoTime().getAsLong())), wait);
			}
		}
	}

}
