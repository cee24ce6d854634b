package dev.sharding.internal.kubernetes.informer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import dev.sharding.internal.core.read.ResourceVersions;
import dev.sharding.internal.core.read.ResourceVersions.Order;
import dev.sharding.internal.kubernetes.informer.CheckResult.Outcome;
import dev.sharding.internal.kubernetes.informer.store.Reflector;
import dev.sharding.internal.kubernetes.informer.store.MetadataSnapshot;
import dev.sharding.internal.kubernetes.informer.wire.ObjectFacts;
import dev.sharding.resource.ObjectKey;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Compares a part of a store with what the API server had at the part's watermark: both
 * must be the same, whatever has happened since.
 */
final class InconsistencyCheck {

	private InconsistencyCheck() {
	}

	static CompletableFuture<CheckResult> run(Reflector<?> reflector) {
		MetadataSnapshot held = reflector.part().versions();
		if (held == null || !ResourceVersions.isComparable(held.version())) {
			return CompletableFuture.completedFuture(inconclusive(""));
		}
		return compared(reflector, held.version(), (there) -> compare(held, there));
	}

	/** The same for what a read was answered with. */
	static CompletableFuture<CheckResult> run(Reflector<?> reflector, ServedRead served) {
		if (!ResourceVersions.isComparable(served.version())) {
			return CompletableFuture.completedFuture(inconclusive(""));
		}
		return compared(reflector, served.version(), (there) -> compare(served, there));
	}

	private static CompletableFuture<CheckResult> compared(Reflector<?> reflector, String version,
			Function<MetadataSnapshot, CheckResult> comparison) {
		return reflector.versionsAt(version).handle((there, failure) -> {
			if (failure != null || !there.version().equals(version)) {
				return inconclusive(version);
			}
			CheckResult result = comparison.apply(there);
			if (result.outcome() == Outcome.MISMATCH) {
				reflector.relist();
			}
			return result;
		});
	}

	static CheckResult compare(MetadataSnapshot held, MetadataSnapshot there) {
		Map<ObjectKey, @Nullable String> rest = new HashMap<>(there.objects());
		List<ObjectKey> differing = new ArrayList<>();
		held.objects().forEach((key, version) -> {
			if (!version.equals(rest.remove(key))) {
				differing.add(key);
			}
		});
		differing.addAll(rest.keySet());
		return result(held.version(), differing);
	}

	/* A view may show what is newer than its version, but nothing older. */
	static CheckResult compare(ServedRead served, MetadataSnapshot there) {
		Set<ObjectKey> absent = new HashSet<>(there.objects().keySet());
		absent.removeIf((key) -> !served.isAbout(key) || !served.asked().test(key));
		List<ObjectKey> differing = new ArrayList<>();
		for (HasMetadata object : served.objects()) {
			ObjectFacts facts = ObjectFacts.of(object);
			absent.remove(facts.key());
			if (served.isAbout(facts.key()) && !facts.version().equals(there.objects().get(facts.key()))
					&& ResourceVersions.compare(facts.version(), served.version()) != Order.AFTER) {
				differing.add(facts.key());
			}
		}
		differing.addAll(absent);
		return result(served.version(), differing);
	}

	private static CheckResult result(String version, List<ObjectKey> differing) {
		differing.sort(Comparator.comparing(ObjectKey::toString));
		return new CheckResult(differing.isEmpty() ? Outcome.MATCH : Outcome.MISMATCH, version, differing);
	}

	private static CheckResult inconclusive(String version) {
		return new CheckResult(Outcome.INCONCLUSIVE, version, List.of());
	}

}
