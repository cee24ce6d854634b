package dev.sharding.internal.core.overlay;

import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * The one question that tells most about the writes in doubt.
 *
 * @param kind what to ask
 * @param key the object to ask about, only for {@link Kind#OBJECT}
 * @param writes what the answer settles, to be handed back with it
 * @param <K> the key
 */
public record DoubtQuestion<K>(Kind kind, @Nullable K key, Map<Long, Optional<K>> writes) {

	/** What to ask. */
	public enum Kind {

		/** A list of one object; the answer goes to {@link Overlay#resolved}. */
		OBJECT,

		/**
		 * Which objects there are, in which versions; the answer goes to
		 * {@link Overlay#listed}.
		 */
		VERSIONS,

		/**
		 * A list of the scope, as versions say nothing; the answer goes to
		 * {@link Overlay#resolved}, and is what readers are shown.
		 */
		EVERYTHING

	}

}
