package dev.sharding.internal.kubernetes.cache.read;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.resource.ResourceType;

/**
 * Which strategy answers the consistent lists of each resource. What the options say can
 * be overridden while the process runs, for reads that begin from then on; an override
 * ends with the process. Safe for use by many threads.
 */
public final class ReadStrategies {

	private static final Logger logger = LoggerFactory.getLogger(ReadStrategies.class);

	private final ReadOptions options;

	private final Map<String, ReadStrategy> overrides = new ConcurrentHashMap<>();

	/** The cached resources, and how far their caches are. */
	private final Map<ResourceType<?>, Supplier<@Nullable String>> cached = new ConcurrentHashMap<>();

	/** What controllers reconcile. */
	private final Set<ResourceType<?>> main = new LinkedHashSet<>();

	public ReadStrategies(ReadOptions options) {
		this.options = options;
	}

	/** What decided about a strategy. */
	public enum Origin {

		/** An override while the process runs. */
		OVERRIDE,

		/** The options name the strategy for the resource. */
		RESOURCE,

		/** The options say that memory answers no consistent list at all. */
		CONSISTENT_READS,

		/** Nobody decided. */
		DEFAULT,

		/** The versions of the resource have no order, so memory cannot answer. */
		VERSIONS

	}

	/**
	 * A strategy in force.
	 *
	 * @param strategy the strategy
	 * @param origin what decided about it
	 */
	public record InForce(ReadStrategy strategy, Origin origin) {
	}

	/**
	 * What is in force.
	 * @return by resource ({@code configmaps}, {@code leases.coordination.k8s.io}), for
	 * those that are cached
	 */
	public Map<String, InForce> inForce() {
		Map<String, InForce> all = new TreeMap<>();
		this.cached.forEach((type, watermark) -> all.put(name(type), of(type, watermark.get())));
		return all;
	}

	/**
	 * Overrides the strategy of a resource until the process ends or {@link #reset} is
	 * called.
	 * @param resource plural and group, as in {@link ReadOptions#strategies()}
	 * @param strategy the strategy
	 * @throws BarrierNotPossibleException if a controller would reconcile the markers
	 * @throws IllegalArgumentException if the resource is not cached
	 */
	public void override(String resource, ReadStrategy strategy) {
		synchronized (this) {
			requirePossible(resource, strategy);
			this.overrides.put(resource, strategy);
		}
		logger.info("Strategy of consistent reads overridden resource={} strategy={}", resource, strategy);
	}

	/**
	 * Looks whether an override can be, without making it.
	 * @param resource plural and group
	 * @param strategy the strategy
	 * @throws BarrierNotPossibleException if a controller would reconcile the markers
	 * @throws IllegalArgumentException if the resource is not cached
	 */
	public synchronized void requirePossible(String resource, ReadStrategy strategy) {
		requireCached(resource);
		if (strategy == ReadStrategy.BARRIER) {
			this.main.stream().filter((type) -> name(type).equals(resource)).findFirst().ifPresent((type) -> {
				throw new BarrierNotPossibleException(type);
			});
		}
	}

	/**
	 * Lets the options decide again.
	 * @param resource plural and group
	 * @throws IllegalArgumentException if the resource is not cached
	 */
	public void reset(String resource) {
		requireCached(resource);
		if (this.overrides.remove(resource) != null) {
			logger.info("Strategy of consistent reads is that of the options again resource={}", resource);
		}
	}

	/** Adds a resource that is cached. */
	public void add(ResourceType<?> type, Supplier<@Nullable String> watermark) {
		this.cached.put(type, watermark);
	}

	/**
	 * A controller would reconcile the marker, and read, and so write it again; in a ring
	 * the sharder would give it to some other shard, whose name it does not bear.
	 */
	public synchronized void requireNoMarker(ResourceType<?> main) {
		if (wanted(main).strategy() == ReadStrategy.BARRIER) {
			throw new BarrierNotPossibleException(main);
		}
		this.main.add(main);
	}

	/**
	 * What answers now.
	 * @param watermark how far the cache is, {@code null} if it was never filled
	 */
	public InForce of(ResourceType<?> type, @Nullable String watermark) {
		InForce wanted = wanted(type);
		return (wanted.strategy() == ReadStrategy.LIVE || watermark == null || ResourceVersions.isComparable(watermark))
				? wanted : new InForce(ReadStrategy.LIVE, Origin.VERSIONS);
	}

	private InForce wanted(ResourceType<?> type) {
		ReadStrategy override = this.overrides.get(name(type));
		if (override != null) {
			return new InForce(override, Origin.OVERRIDE);
		}
		if (Boolean.FALSE.equals(this.options.enabled())) {
			return new InForce(ReadStrategy.LIVE, Origin.CONSISTENT_READS);
		}
		ReadStrategy named = this.options.strategies().get(name(type));
		return (named != null) ? new InForce(named, Origin.RESOURCE)
				: new InForce(ReadStrategy.VALIDATED, Origin.DEFAULT);
	}

	private void requireCached(String resource) {
		if (this.cached.keySet().stream().noneMatch((type) -> name(type).equals(resource))) {
			throw new IllegalArgumentException("No cache of '%s' (there are %s)".formatted(resource,
					this.cached.keySet().stream().map(ReadStrategies::name).sorted().distinct().toList()));
		}
	}

	private static String name(ResourceType<?> type) {
		return type.groupResource().toString();
	}

}
