package dev.sharding.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;

import dev.sharding.internal.autoconfigure.runtime.ControllerPart;
import dev.sharding.internal.kubernetes.cache.check.ReadStrategy;
import dev.sharding.internal.kubernetes.cache.read.ReadStrategies;

/**
 * Endpoint {@code reads}: shows which strategy answers the consistent lists of each
 * resource and who decided so, and overrides it where write access is granted. An
 * override lasts until the process ends. What cannot be is refused with the reason.
 */
@WebEndpoint(id = "reads", defaultAccess = Access.READ_ONLY)
final class ReadsEndpoint {

	private final List<ControllerPart> parts;

	ReadsEndpoint(List<ControllerPart> parts) {
		this.parts = List.copyOf(parts);
	}

	@ReadOperation
	Map<String, Object> all() {
		Map<String, Object> rings = new LinkedHashMap<>();
		this.parts.forEach((part) -> rings.put(part.name(), describe(part.readStrategies())));
		return Map.of("rings", rings);
	}

	/**
	 * Overrides the strategy of a resource.
	 * @param resource plural and group, as in {@code sharding.cache.strategies}
	 * @param strategy {@code validated}, {@code barrier} or {@code live}
	 * @param ring the ring whose caches are meant, {@code noRing} for those outside any;
	 * unless set, all that have the resource
	 */
	@WriteOperation
	WebEndpointResponse<Map<String, Object>> override(@Selector String resource, String strategy,
			@Nullable String ring) {
		ReadStrategy wanted = Stream.of(ReadStrategy.values())
			.filter((known) -> name(known).equals(strategy))
			.findFirst()
			.orElse(null);
		if (wanted == null) {
			return refused(strategy, "'strategy' must be validated, barrier or live (is %s)".formatted(strategy));
		}
		return changed(resource, ring, (strategies) -> strategies.requirePossible(resource, wanted),
				(strategies) -> strategies.override(resource, wanted));
	}

	/**
	 * Lets the properties decide again.
	 * @param resource plural and group
	 * @param ring as above
	 */
	@DeleteOperation
	WebEndpointResponse<Map<String, Object>> reset(@Selector String resource, @Nullable String ring) {
		return changed(resource, ring, (possible) -> {
		}, (strategies) -> strategies.reset(resource));
	}

	private WebEndpointResponse<Map<String, Object>> changed(String resource, @Nullable String ring,
			Consumer<ReadStrategies> check, Consumer<ReadStrategies> change) {
		List<ControllerPart> named = this.parts.stream()
			.filter((part) -> ring == null || ring.equals(part.name()))
			.toList();
		if (named.isEmpty()) {
			return refused(String.valueOf(ring), "No ring '%s' (there are %s)".formatted(ring,
					this.parts.stream().map(ControllerPart::name).toList()));
		}
		List<ControllerPart> meant = named.stream()
			.filter((part) -> part.readStrategies().inForce().containsKey(resource))
			.toList();
		if (meant.isEmpty()) {
			return refused(resource,
					"No cache of '%s' (there are %s)".formatted(resource,
							named.stream()
								.flatMap((part) -> part.readStrategies().inForce().keySet().stream())
								.sorted()
								.distinct()
								.toList()));
		}
		Map<String, Object> now = new LinkedHashMap<>();
		try {
			meant.forEach((part) -> check.accept(part.readStrategies()));
			meant.forEach((part) -> change.accept(part.readStrategies()));
		}
		catch (IllegalArgumentException ex) {
			return refused(resource, ex.getMessage());
		}
		meant.forEach((part) -> {
			Map<String, Map<String, String>> described = describe(part.readStrategies());
			now.put(part.name(), Objects.requireNonNull(described.get(resource)));
		});
		return new WebEndpointResponse<>(Map.of("rings", now));
	}

	private static Map<String, Map<String, String>> describe(ReadStrategies strategies) {
		Map<String, Map<String, String>> described = new TreeMap<>();
		strategies.inForce()
			.forEach((resource, inForce) -> described.put(resource,
					Map.of("strategy", name(inForce.strategy()), "origin", name(inForce.origin()))));
		return described;
	}

	private static WebEndpointResponse<Map<String, Object>> refused(String offender, @Nullable String reason) {
		return new WebEndpointResponse<>(Map.of("offender", offender, "reason", String.valueOf(reason)),
				WebEndpointResponse.STATUS_BAD_REQUEST);
	}

	private static String name(Enum<?> value) {
		return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

}
