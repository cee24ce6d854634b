package dev.sharding.internal.kubernetes.slot;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;

import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.sharding.client.ApiException;
import dev.sharding.client.NotSentException;
import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import dev.sharding.internal.kubernetes.rest.http.ProtocolThreads;
import dev.sharding.protocol.ShardingLabels;
import dev.sharding.resource.GroupResource;
import dev.sharding.resource.ObjectKey;
import dev.sharding.resource.ResourceType;

/**
 * Touches the objects of a shard that somebody else was at work for, and had no answer to
 * a write as far as is known: each of them gets another resource version, so that what
 * that one may have sent, and what has not arrived yet, is refused. One annotation is
 * written and nothing else.
 */
public final class Touches {

	private static final Logger logger = LoggerFactory.getLogger(Touches.class);

	private static final int AT_ONCE = 32;

	private static final Duration AGAIN = Duration.ofSeconds(1);

	/* A webhook may take ten. */
	private static final Duration TIMEOUT = Duration.ofSeconds(12);

	private static final int TOO_MANY_REQUESTS = 429;

	private final KubernetesSerialization serialization;

	private final ApiRequests requests;

	private final String fieldManager;

	private final String value;

	private final Duration patience;

	private final LongSupplier nanos;

	private final Queue<Target> left = new ArrayDeque<>();

	private final Set<GroupResource> delayed = new HashSet<>();

	/* With when the first object of the resource that was refused began to fail. */
	private final Map<GroupResource, Long> refused = new HashMap<>();

	/* When an object of the resource was touched last. */
	private final Map<GroupResource, Long> lastTouched = new HashMap<>();

	private final CompletableFuture<Boolean> done = new CompletableFuture<>();

	private int underWay;

	private int touched;

	private Touches(KubernetesSerialization serialization, ApiRequests requests, String fieldManager, String value,
			Duration patience, LongSupplier nanos, Collection<Target> targets) {
		this.serialization = serialization;
		this.requests = requests.unthrottled();
		this.fieldManager = fieldManager;
		this.value = value;
		this.patience = patience;
		this.nanos = nanos;
		this.left.addAll(targets);
	}

	/**
	 * Touches objects.
	 * @param serialization writes the patches
	 * @param requests sends them as long as the Lease can be proved
	 * @param fieldManager who the API server notes as the writer
	 * @param value the value of the annotation, another one for each term
	 * @param patience for how long an object may fail before it is left out. One Lease is
	 * enough: where the API server answers nothing, the Lease cannot be proved that long,
	 * and the run fails
	 * @param nanos the monotonic clock
	 * @param targets the objects as they were seen after the acquire of the Lease
	 * @return completes with whether nothing is left that could still be overwritten;
	 * fails when the Lease is lost meanwhile
	 */
	public static CompletableFuture<Boolean> run(KubernetesSerialization serialization, ApiRequests requests,
			String fieldManager, String value, Duration patience, LongSupplier nanos, Collection<Target> targets) {
		Touches touches = new Touches(serialization, requests, fieldManager, value, patience, nanos, targets);
		touches.advance();
		return touches.done;
	}

	private void advance() {
		while (true) {
			Target next;
			synchronized (this) {
				if (this.done.isDone() || this.underWay >= AT_ONCE) {
					return;
				}
				next = this.left.poll();
				if (next == null) {
					break;
				}
				if (isGivenUp(next)) {
					continue;
				}
				this.underWay++;
			}
			send(next, this.nanos.getAsLong());
		}
		end();
	}

	private void end() {
		boolean all;
		synchronized (this) {
			if (this.underWay > 0 || !this.left.isEmpty()) {
				return;
			}
			all = this.refused.isEmpty();
		}
		if (this.done.complete(all)) {
			logger.info(
					"Touched the objects of a shard whose former holder may still be heard of objects={} complete={}",
					this.touched, all);
		}
	}

	private void send(Target target, long since) {
		String patch = this.serialization.asJson(Map.of("metadata", Map.of("resourceVersion", target.version(),
				"annotations", Map.of(ShardingLabels.TOUCHED, this.value))));
		this.requests
			.send(ApiRequest.of("PATCH", target.type().path(target.key()), MediaTypes.MERGE_PATCH, patch)
				.query("fieldManager", this.fieldManager)
				.accept(MediaTypes.METADATA)
				.within(TIMEOUT)
				.exempted())
			.whenCompleteAsync((answer, failure) -> answered(target, since, failure), ProtocolThreads.EXECUTOR);
	}

	private void answered(Target target, long since, @Nullable Throwable failure) {
		long now = this.nanos.getAsLong();
		Duration again = null;
		if (failure != null) {
			ApiException refusal = ApiException.of(failure);
			if (refusal.getCause() instanceof NotSentException lost) {
				this.done.completeExceptionally(lost);
				return;
			}
			again = judge(target, Duration.ofNanos(now - since), refusal);
		}
		synchronized (this) {
			if (failure == null) {
				this.touched++;
				this.lastTouched.put(target.type().groupResource(), now);
			}
			if (again == null) {
				this.underWay--;
			}
		}
		if (again != null) {
			// Keeps its place, so that no others take it while the API server is busy.
			ProtocolThreads.later(again, () -> send(target, since));
			return;
		}
		advance();
	}

	/**
	 * What to do about an object that was not touched: nothing if it is gone or somebody
	 * has written it since it was seen, which does as well. An object that fails by
	 * itself, as where a webhook denies it, does not answer, or answers nonsense, holds
	 * up all others of the shard for one Lease and one answer at most; the Lease goes on
	 * to say that something is to be touched. Nobody can tell such an object from an API
	 * server that fails for all, but that one renews no Lease either.
	 * @return when to try again, {@code null} for never
	 */
	private @Nullable Duration judge(Target target, Duration failing, ApiException refusal) {
		if (refusal.isNotFound(target.key().name()) || refusal.isConflict()) {
			return null;
		}
		int status = refusal.status();
		// Whoever says when to come again will answer; one resource may not, for good.
		boolean busy = refusal.isOverload() && (status == TOO_MANY_REQUESTS || refusal.retryAfter() != null);
		boolean later = !refusal.isAnswered() || refusal.retryAfter() != null || status == TOO_MANY_REQUESTS
				|| status == HttpURLConnection.HTTP_CONFLICT || status >= HttpURLConnection.HTTP_INTERNAL_ERROR;
		Duration asked = refusal.retryAfter();
		Duration again = (asked != null && asked.compareTo(AGAIN) > 0) ? asked : AGAIN;
		if (later && (busy || isPatient(target, failing, again, refusal.isWithoutEffect()))) {
			noteDelay(target, refusal);
			return again;
		}
		synchronized (this) {
			long since = this.nanos.getAsLong() - failing.toNanos();
			if (this.refused.putIfAbsent(target.type().groupResource(), since) != null) {
				return null;
			}
		}
		logger.warn(
				"May not touch {} {}, so that a late write of the former holder of its shard would not be refused; give"
						+ " the right to patch {}, and see that no webhook refuses it: {}",
				target.type(), target.key(), target.type().groupResource(), refusal.getMessage());
		return null;
	}

	private void noteDelay(Target target, ApiException refusal) {
		synchronized (this) {
			if (!this.delayed.add(target.type().groupResource())) {
				return;
			}
		}
		logger.info("Failed to touch {} {}, trying again before the shard begins its work: {}", target.type(),
				target.key(), refusal.getMessage());
	}

	/*
	 * What may be the failure of the API server for all does not count against an object
	 * because another one of its resource was refused.
	 */
	private synchronized boolean isPatient(Target target, Duration failing, Duration again, boolean ofItself) {
		return ofItself
				? failing.plus(again).compareTo(this.patience) <= 0
						&& !this.refused.containsKey(target.type().groupResource())
				: failing.compareTo(this.patience) < 0 && !isGivenUp(target);
	}

	/*
	 * Each one may wait for a time-out, and there may be thousands. As long as others of
	 * the resource are touched, the next one is tried.
	 */
	private synchronized boolean isGivenUp(Target target) {
		GroupResource resource = target.type().groupResource();
		Long since = this.refused.get(resource);
		return since != null && this.nanos.getAsLong()
				- Math.max(since, this.lastTouched.getOrDefault(resource, since)) >= this.patience.toNanos();
	}

	/**
	 * An object to touch.
	 *
	 * @param type its resource
	 * @param key the object
	 * @param version its resource version as it was seen
	 */
	public record Target(ResourceType<?> type, ObjectKey key, String version) {
	}

}
