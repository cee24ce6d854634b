package dev.sharding.internal.sharder;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;

/**
 * A detail of health that names things of the cluster, of which there may be any number:
 * who probes reads the first of them, and how many more there are. Status and log of each
 * ring name all.
 */
public final class HealthDetail {

	/** How many are named. */
	public static final int MOST = 10;

	/* No name in Kubernetes. */
	private static final String MORE = "...";

	private HealthDetail() {
	}

	/**
	 * Returns what to show.
	 * @param all what is wrong, by the name of what it is wrong with; a value may be such
	 * a map itself
	 * @return the first of it, by name, and the number of the rest
	 */
	public static Map<String, Object> of(SortedMap<String, ?> all) {
		Map<String, Object> shown = new LinkedHashMap<>();
		for (Map.Entry<String, ?> entry : all.entrySet()) {
			if (shown.size() == MOST) {
				shown.put(MORE, "%d more".formatted(all.size() - MOST));
				break;
			}
			shown.put(entry.getKey(), shorten(entry.getValue()));
		}
		return shown;
	}

	@SuppressWarnings("unchecked")
	private static Object shorten(Object value) {
		return (value instanceof SortedMap<?, ?> inner) ? of((SortedMap<String, ?>) inner) : value;
	}

}
