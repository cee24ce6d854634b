package dev.sharding.internal.kubernetes.cache;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.Safeguard;
import dev.sharding.internal.core.read.Safeguard.Support;
import dev.sharding.internal.kubernetes.cache.check.ReadOptions;
import dev.sharding.internal.kubernetes.cache.read.IncomparableVersionsException;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ResourceType;

/**
 * Looks at start-up whether the API server can do what consistent reads from memory need.
 */
final class ReadSafeguard {

	private static final Logger logger = LoggerFactory.getLogger(ReadSafeguard.class);

	private static final long PATIENCE_SECONDS = 5;

	private final ReadOptions options;

	private final Supplier<CompletableFuture<Map<?, ?>>> serverVersion;

	private final Function<ResourceType<?>, CompletableFuture<String>> presentVersion;

	/**
	 * Creates it.
	 * @param serverVersion asks for {@code /version}
	 * @param presentVersion asks for the resource version of a list
	 */
	ReadSafeguard(ReadOptions options, Supplier<CompletableFuture<Map<?, ?>>> serverVersion,
			Function<ResourceType<?>, CompletableFuture<String>> presentVersion) {
		this.options = options;
		this.serverVersion = serverVersion;
		this.presentVersion = presentVersion;
	}

	/**
	 * Checks, and says in the log what somebody should know.
	 * @param types the resources that are cached
	 * @throws IncomparableVersionsException if somebody wants what cannot be
	 */
	void check(Collection<ResourceType<?>> types) {
		Map<?, ?> version = answer(this.serverVersion.get());
		Support server = (version != null)
				? Support.ofServer(String.valueOf(version.get("major")), String.valueOf(version.get("minor")))
				: Support.UNKNOWN;
		List<GroupResource> told = types.stream()
			.filter((type) -> Safeguard.of(server, this.options.decided(type)) == Safeguard.WARN)
			.map(ResourceType::groupResource)
			.toList();
		if (!told.isEmpty()) {
			logger.warn((server == Support.COSTLY)
					? "API server is older than 1.31: each consistent read from the cache costs a list in etcd version={} resources={}"
					: "Failed to learn the version of the API server; consistent reads from the cache stay on version={} resources={}",
					version, told);
		}
		Map<ResourceType<?>, CompletableFuture<String>> present = new LinkedHashMap<>();
		types.stream()
			.filter((type) -> Boolean.TRUE.equals(this.options.decided(type)))
			.forEach((type) -> present.put(type, this.presentVersion.apply(type)));
		// All at once, as a server that hangs would take its time for each.
		present.values().forEach((asked) -> asked.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS));
		present.forEach((type, asked) -> checkOrder(type, answer(asked)));
	}

	private static void checkOrder(ResourceType<?> type, @Nullable String present) {
		if (present == null) {
			logger.warn("Failed to learn whether versions can be compared; consistent reads from the cache stay on"
					+ " resource={}", type);
		}
		else if (Safeguard.of(ResourceVersions.isComparable(present) ? Support.FULL : Support.NOT_COMPARABLE,
				true) == Safeguard.ABORT) {
			throw new IncomparableVersionsException(type, present);
		}
	}

	private static <R> @Nullable R answer(CompletableFuture<R> asked) {
		return asked.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).exceptionally((failure) -> null).join();
	}

}
