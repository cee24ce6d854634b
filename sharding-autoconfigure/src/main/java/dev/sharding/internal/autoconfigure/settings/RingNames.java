package dev.sharding.internal.autoconfigure.settings;

import java.util.LinkedHashMap;
import java.util.Set;
import java.util.TreeSet;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Which rings the properties name, for those who must know before there are beans.
 *
 * @param enabled whether anything is sharded
 * @param main the ring of the application, {@code null} if there is none
 * @param further the others
 */
public record RingNames(boolean enabled, @Nullable String main, Set<String> further) {

	/**
	 * Reads the properties.
	 * @param environment where they are
	 * @return the names
	 * @throws ShardingStartupException if they contradict each other
	 */
	public static RingNames of(Environment environment) {
		Binder binder = Binder.get(environment);
		return of(binder.bind("sharding.enabled", Boolean.class).orElse(true),
				binder.bind("sharding.ring", String.class).orElse(null),
				binder.bind("sharding.rings", Bindable.mapOf(String.class, ShardingProperties.Ring.class))
					.orElseGet(LinkedHashMap::new)
					.keySet());
	}

	public static RingNames of(ShardingProperties properties) {
		return of(properties.enabled(), properties.ring(), properties.rings().keySet());
	}

	private static RingNames of(boolean enabled, @Nullable String main, Set<String> further) {
		if (main != null && further.contains(main)) {
			throw new ShardingStartupException(
					"The ring '%s' is both the application's ('sharding.ring') and a further one ('sharding.rings.%s')"
						.formatted(main, main),
					"Remove one of the two.", null);
		}
		return new RingNames(enabled, (main != null && !main.isBlank()) ? main : null, further);
	}

	/** Whether the application is a shard of any ring. */
	public boolean any() {
		return this.enabled && (this.main != null || !this.further.isEmpty());
	}

	/**
	 * The ring of a controller.
	 * @param bean the name of its bean
	 * @param wanted the ring that it names, empty for that of the application
	 * @return the name of the ring, {@code null} if nothing is sharded
	 * @throws ShardingStartupException if there is no such ring
	 */
	public @Nullable String of(String bean, String wanted) {
		if (!this.enabled) {
			return null;
		}
		if (wanted.isEmpty() || wanted.equals(this.main)) {
			return (this.main != null) ? this.main : "";
		}
		if (this.further.contains(wanted)) {
			return wanted;
		}
		throw new ShardingStartupException(
				"Bean '%s' is a controller of ring '%s', which this application does not join (%s)".formatted(bean,
						wanted, known()),
				"Add 'sharding.rings.%s.shard-name' or another property of that ring, or correct the name."
					.formatted(wanted),
				null);
	}

	/** All of them, enabled or not. */
	public Set<String> names() {
		Set<String> names = new TreeSet<>(this.further);
		if (this.main != null) {
			names.add(this.main);
		}
		return names;
	}

	private String known() {
		Set<String> known = names();
		return known.isEmpty() ? "it joins none" : "it joins " + String.join(", ", known);
	}

}
