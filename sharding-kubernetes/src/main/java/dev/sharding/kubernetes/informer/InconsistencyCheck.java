package dev.sharding.kubernetes.informer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import dev.sharding.core.version.ResourceVersions;
import dev.sharding.kubernetes.informer.CheckResult.Outcome;
import dev.sharding.kubernetes.resource.ObjectKey;
import org.jspecify.annotations.Nullable;

/**
 * Compares a part of a store with what the API server had at the part's watermark: both
 * must be the same, whatever has happened since.
 */
final class InconsistencyCheck {

	private InconsistencyCheck() {
	}

	static CompletableFuture<CheckResult> run(Reflector<?> reflector) {
		Versions held = reflector.part().versions();
		if (held == null || !ResourceVersions.isComparable(held.version())) {
			return CompletableFuture.completedFuture(inconclusive(""));
		}
		return reflector.versionsAt(held.version()).handle((there, failure) -> {
			if (failure != null || !there.version().equals(held.version())) {
				return inconclusive(held.version());
			}
			CheckResult result = compare(held, there);
			if (result.outcome() == Outcome.MISMATCH) {
				reflector.relist();
			}
			return result;
		});
	}

	static CheckResult compare(Versions held, Versions there) {
		Map<ObjectKey, @Nullable String> rest = new HashMap<>(there.objects());
		List<ObjectKey> differing = new ArrayList<>();
		held.objects().forEach((key, version) -> {
			if (!version.equals(rest.remove(key))) {
				differing.add(key);
			}
		});
		differing.addAll(rest.keySet());
		differing.sort(Comparator.comparing(ObjectKey::toString));
		return new CheckResult(differing.isEmpty() ? Outcome.MATCH : Outcome.MISMATCH, held.version(), differing);
	}

	private static CheckResult inconclusive(String version) {
		return new CheckResult(Outcome.INCONCLUSIVE, version, List.of());
	}

}
