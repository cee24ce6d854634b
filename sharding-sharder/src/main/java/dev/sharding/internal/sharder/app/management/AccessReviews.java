package dev.sharding.internal.sharder.app.management;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongSupplier;

import dev.sharding.internal.kubernetes.rest.ApiRequests;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewBuilder;
import io.fabric8.kubernetes.api.model.authentication.UserInfo;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import org.jspecify.annotations.Nullable;

/**
 * Asks the API server whose token a request carries, by a TokenReview, and whether he may
 * do that at this path, by a SubjectAccessReview. What it says counts for a while, so
 * that a right that is taken away still counts for a minute at most. Safe for use by many
 * threads.
 */
final class AccessReviews {

	private static final Duration PATIENCE = Duration.ofSeconds(3);

	private static final String TOKEN_REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews";

	private static final String ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

	private static final String BEARER = "Bearer ";

	private final ApiRequests requests;

	private final KubernetesSerialization json;

	private final AccessAnswers answers;

	AccessReviews(ApiRequests requests, KubernetesSerialization json, LongSupplier nanoTime) {
		this.requests = requests;
		this.json = json;
		this.answers = new AccessAnswers(nanoTime);
	}

	/**
	 * Checks a request.
	 * @param authorization its head of that name
	 * @param verb its method, in small letters
	 * @param path its path
	 * @return the verdict; fails where the API server gives none
	 */
	CompletionStage<Verdict> check(@Nullable String authorization, String verb, String path) {
		if (authorization == null || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
			return CompletableFuture.completedFuture(Verdict.UNKNOWN);
		}
		String token = authorization.substring(BEARER.length()).trim();
		if (token.isEmpty()) {
			return CompletableFuture.completedFuture(Verdict.UNKNOWN);
		}
		String question = digest(token) + " " + verb + " " + path;
		return this.answers.of(question, () -> review(token, verb, path));
	}

	private CompletableFuture<Verdict> review(String token, String verb, String path) {
		TokenReview asked = new TokenReviewBuilder().withNewSpec().withToken(token).endSpec().build();
		return ask(TOKEN_REVIEWS, asked, TokenReview.class).thenCompose((review) -> {
			UserInfo user = Boolean.TRUE.equals(review.getStatus().getAuthenticated()) ? review.getStatus().getUser()
					: null;
			return (user != null) ? review(user, verb, path) : CompletableFuture.completedFuture(Verdict.UNKNOWN);
		});
	}

	private CompletableFuture<Verdict> review(UserInfo user, String verb, String path) {
		SubjectAccessReview asked = new SubjectAccessReviewBuilder().withNewSpec()
			.withUser(user.getUsername())
			.withUid(user.getUid())
			.withGroups(user.getGroups())
			.withExtra(user.getExtra())
			.withNewNonResourceAttributes()
			.withPath(path)
			.withVerb(verb)
			.endNonResourceAttributes()
			.endSpec()
			.build();
		return ask(ACCESS_REVIEWS, asked, SubjectAccessReview.class).thenApply(
				(review) -> Boolean.TRUE.equals(review.getStatus().getAllowed()) ? Verdict.ALLOWED : Verdict.FORBIDDEN);
	}

	private <T> CompletableFuture<T> ask(String path, T review, Class<T> type) {
		return this.requests
			.send(ApiRequest.of("POST", path, MediaTypes.JSON, this.json.asJson(review)).timeout(PATIENCE))
			.thenApply((response) -> this.json.unmarshal(response.stream(), type));
	}

	/* A token is not kept for longer than it takes to ask. */
	private static String digest(String token) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * What became of a question.
	 */
	enum Verdict {

		/** He may. */
		ALLOWED(200, "allowed"),

		/** Nobody knows whose token it is, or there is none. */
		UNKNOWN(401, "a bearer token of the cluster is needed"),

		/** He may not. */
		FORBIDDEN(403, "the right to this path is needed"),

		/** It was not asked. */
		TOO_MANY(429, "too many ask who is not known to be allowed");

		private final int status;

		private final String text;

		Verdict(int status, String text) {
			this.status = status;
			this.text = text;
		}

		String text() {
			return this.text;
		}

		int status() {
			return this.status;
		}

	}

}
