package dev.sharding.internal.kubernetes.slot;

import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

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

	/* A webhook that is just being replaced is back by then. */
	private static final int ATTEMPTS = 10;

	private static final int TOO_MANY_REQUESTS = 429;

	private final KubernetesSerialization serialization;

	private final ApiRequests requests;

	private final String fieldManager;

	private final String value;

	private final Queue<Target> left = new ArrayDeque<>();

	private final Set<GroupResource> refused = new HashSet<>();

	private final CompletableFuture<Boolean> done = new CompletableFuture<>();

	private int underWay;

	private int touched;

	private Touches(KubernetesSerialization serialization, ApiRequests requests, String fieldManager, String value,
			Collection<Target> targets) {
		this.serialization = serialization;
		this.requests = requests.unthrottled();
		this.fieldManager = fieldManager;
		this.value = value;
		this.left.addAll(targets);
	}

	/**
	 * Touches objects.
	 * @param serialization writes the patches
	 * @param requests sends them as long as the Lease can be proved
	 * @param fieldManager who the API server notes as the writer
	 * @param value the value of the annotation, another one for each term
	 * @param targets the objects as they were seen after the acquire of the Lease
	 * @return completes with whether nothing is left that could still be overwritten;
	 * fails when the Lease is lost meanwhile
	 */
	public static CompletableFuture<Boolean> run(KubernetesSerialization serialization, ApiRequests requests,
			String fieldManager, String value, Collection<Target> targets) {
		Touches touches = new Touches(serialization, requests, fieldManager, value, targets);
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
				this.underWay++;
			}
			send(next, 1);
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

	private void send(Target target, int attempt) {
		String patch = this.serialization.asJson(Map.of("metadata", Map.of("resourceVersion", target.version(),
				"annotations", Map.of(ShardingLabels.TOUCHED, this.value))));
		this.requests
			.send(ApiRequest.of("PATCH", target.type().path(target.key()), MediaTypes.MERGE_PATCH, patch)
				.query("fieldManager", this.fieldManager)
				.accept(MediaTypes.METADATA)
				.exempted())
			.whenCompleteAsync((answer, failure) -> answered(target, attempt, failure), ProtocolThreads.EXECUTOR);
	}

	private void answered(Target target, int attempt, @Nullable Throwable failure) {
		Duration again = null;
		int next = (failure != null && !isOfAll(ApiException.of(failure))) ? attempt + 1 : attempt;
		if (failure != null) {
			ApiException refusal = ApiException.of(failure);
			if (refusal.getCause() instanceof NotSentException lost) {
				this.done.completeExceptionally(lost);
				return;
			}
			again = judge(target, attempt, refusal);
		}
		synchronized (this) {
			this.touched += (failure == null) ? 1 : 0;
			if (again == null) {
				this.underWay--;
			}
		}
		if (again != null) {
			// Keeps its place, so that no others take it while the API server is busy.
			ProtocolThreads.later(again, () -> send(target, next));
			return;
		}
		advance();
	}

	/**
	 * What to do about an object that was not touched: nothing if it is gone or somebody
	 * has written it since it was seen, which does as well. An object that is refused by
	 * itself, as by a webhook that fails or denies, holds up all others of the shard for
	 * a few seconds only; the Lease goes on to say that something is to be touched.
	 * @return when to try again, {@code null} for never
	 */
	private @Nullable Duration judge(Target target, int attempt, ApiException refusal) {
		int status = refusal.status();
		if (refusal.isNotFound(target.key().name())
				|| (status == HttpURLConnection.HTTP_CONFLICT && refusal.retryAfter() == null)) {
			return null;
		}
		boolean later = !refusal.isAnswered() || refusal.retryAfter() != null || status == TOO_MANY_REQUESTS
				|| status == HttpURLConnection.HTTP_CONFLICT || status >= HttpURLConnection.HTTP_INTERNAL_ERROR;
		Duration asked = refusal.retryAfter();
		Duration again = (asked != null && asked.compareTo(AGAIN) > 0) ? asked : AGAIN;
		if (later && (isOfAll(refusal)
				|| (attempt < ATTEMPTS && again.compareTo(AGAIN.multipliedBy(ATTEMPTS)) < 0 && !isRefused(target)))) {
			return again;
		}
		synchronized (this) {
			if (!this.refused.add(target.type().groupResource())) {
				return null;
			}
		}
		logger.warn(
				"May not touch {} {}, so that a late write of the former holder of its shard would not be refused; give"
						+ " the right to patch {}, and see that no webhook refuses it: {}",
				target.type(), target.key(), target.type().groupResource(), refusal.getMessage());
		return null;
	}

	/*
	 * Nobody has refused this object. While the API server answers like that, it renews
	 * no Lease for long either.
	 */
	private static boolean isOfAll(ApiException refusal) {
		boolean failed = refusal.status() >= HttpURLConnection.HTTP_INTERNAL_ERROR && !refusal.isWithoutEffect();
		return !refusal.isAnswered() || refusal.isOverload() || failed;
	}

	private synchronized boolean isRefused(Target target) {
		return this.refused.contains(target.type().groupResource());
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
