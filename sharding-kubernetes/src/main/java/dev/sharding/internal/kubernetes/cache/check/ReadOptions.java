package dev.sharding.internal.kubernetes.cache.check;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;

import dev.sharding.resource.ResourceType;

/**
 * How caches answer consistent reads. Immutable; the methods return changed copies.
 *
 * @param enabled whether memory answers them; {@code null} unless somebody decided: on
 * where that is right. Off, or where versions cannot be compared, each is a list by the
 * API server
 * @param strategies the strategy by resource ({@code configmaps},
 * {@code leases.coordination.k8s.io}); others are validated. To name one is to decide for
 * that resource
 * @param markerNamespace where the marker of {@link ReadStrategy#BARRIER} is, if the
 * cache covers all namespaces
 * @param checkPeriod how often the caches are compared with the API server; zero for
 * never
 * @param checkReads which share of the reads that memory answers is compared with the API
 * server, one at a time; 0 for none, 1 for as many as possible
 */
public record ReadOptions(@Nullable Boolean enabled, Map<String, ReadStrategy> strategies, String markerNamespace,
		Duration checkPeriod, double checkReads) {

	/**
	 * Validated reads wherever they are right. No comparison, unless the system property
	 * {@code sharding.cache.check-millis} says how often, and
	 * {@code sharding.cache.check-reads} which share of the reads, as builds may do.
	 */
	public static final ReadOptions DEFAULTS = new ReadOptions(null, Map.of(), "default",
			Duration.ofMillis(Long.getLong("sharding.cache.check-millis", 0)),
			Double.parseDouble(System.getProperty("sharding.cache.check-reads", "0")));

	public ReadOptions {
		strategies = Map.copyOf(strategies);
		if (checkPeriod.isNegative()) {
			throw new IllegalArgumentException("'checkPeriod' must not be negative (is %s)".formatted(checkPeriod));
		}
		if (!(checkReads >= 0 && checkReads <= 1)) {
			throw new IllegalArgumentException("'checkReads' must be from 0 to 1 (is %s)".formatted(checkReads));
		}
	}

	/**
	 * On or off, decided.
	 * @param decided whether memory answers
	 * @return the options
	 */
	public ReadOptions withEnabled(boolean decided) {
		return new ReadOptions(decided, this.strategies, this.markerNamespace, this.checkPeriod, this.checkReads);
	}

	/**
	 * Another strategy for one resource.
	 * @param resource plural and group, such as {@code configmaps} or
	 * {@code leases.coordination.k8s.io}
	 * @param strategy the strategy
	 * @return the options
	 */
	public ReadOptions withStrategy(String resource, ReadStrategy strategy) {
		Map<String, ReadStrategy> extended = new LinkedHashMap<>(this.strategies);
		extended.put(resource, strategy);
		return new ReadOptions(this.enabled, extended, this.markerNamespace, this.checkPeriod, this.checkReads);
	}

	/**
	 * Another namespace for markers.
	 * @param namespace its name
	 * @return the options
	 */
	public ReadOptions withMarkerNamespace(String namespace) {
		return new ReadOptions(this.enabled, this.strategies, namespace, this.checkPeriod, this.checkReads);
	}

	/**
	 * With comparisons.
	 * @param period how often; zero for never
	 * @return the options
	 */
	public ReadOptions withCheckPeriod(Duration period) {
		return new ReadOptions(this.enabled, this.strategies, this.markerNamespace, period, this.checkReads);
	}

	/**
	 * With comparisons of what memory answers.
	 * @param share which share of the reads, from 0 to 1
	 * @return the options
	 */
	public ReadOptions withCheckReads(double share) {
		return new ReadOptions(this.enabled, this.strategies, this.markerNamespace, this.checkPeriod, share);
	}

	/**
	 * Whether memory answers for a resource, as somebody decided for all or for this one,
	 * or {@code null} if nobody did.
	 */
	public @Nullable Boolean decided(ResourceType<?> type) {
		ReadStrategy named = this.strategies.get(type.groupResource().toString());
		return (named == null || Boolean.FALSE.equals(this.enabled)) ? this.enabled
				: Boolean.valueOf(named != ReadStrategy.LIVE);
	}

}
