package dev.sharding.internal.sharder.ring;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * How the webhook configurations of the rings fare: told by the webhook of this process,
 * read by whoever keeps the status of the rings. Safe for use by any thread.
 */
public final class WebhookReports {

	private static final Configured WRITTEN = new Configured(null);

	private final Map<String, Configured> rings = new ConcurrentHashMap<>();

	private volatile Runnable listener = () -> {
	};

	/**
	 * Says whom to tell of changes, instead of whoever was told so far.
	 * @param changed called after each change, on the thread that made it
	 */
	public void onChange(Runnable changed) {
		this.listener = changed;
	}

	/**
	 * Returns what cannot be written.
	 * @return the reasons, by the name of the ring
	 */
	public SortedMap<String, String> problems() {
		SortedMap<String, String> problems = new TreeMap<>();
		this.rings.forEach((ring, configured) -> {
			if (configured.problem() != null) {
				problems.put(ring, configured.problem());
			}
		});
		return problems;
	}

	/**
	 * Records that the configuration of a ring cannot be written.
	 * @param ring its name
	 * @param reason why
	 */
	public void failed(String ring, String reason) {
		put(ring, new Configured(reason));
	}

	/**
	 * Records that the configuration of a ring is as it must be.
	 * @param ring its name
	 */
	public void succeeded(String ring) {
		put(ring, WRITTEN);
	}

	private void put(String ring, Configured configured) {
		if (!configured.equals(this.rings.put(ring, configured))) {
			this.listener.run();
		}
	}

	/**
	 * Forgets rings.
	 * @param wanted name of a ring to whether it still counts
	 */
	public void retain(Predicate<String> wanted) {
		if (this.rings.keySet().removeIf(wanted.negate())) {
			this.listener.run();
		}
	}

	/**
	 * Returns how the configuration of a ring fares.
	 * @param ring its name
	 * @return what was recorded last, or {@code null}
	 */
	public @Nullable Configured of(String ring) {
		return this.rings.get(ring);
	}

	/**
	 * The webhook configuration of a ring after an attempt to write it.
	 *
	 * @param problem why it is not as it must be, or {@code null}
	 */
	public record Configured(@Nullable String problem) {
	}

}
