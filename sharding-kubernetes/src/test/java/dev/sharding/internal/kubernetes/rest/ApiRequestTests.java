package dev.sharding.internal.kubernetes.rest;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

import io.fabric8.kubernetes.client.http.WebSocketUpgradeResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.sharding.client.ApiException;
import dev.sharding.internal.kubernetes.rest.http.ApiRequest;
import dev.sharding.internal.kubernetes.rest.http.MediaTypes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ApiRequestTests {

	@ParameterizedTest
	@CsvSource({ "/api/v1/namespaces/default/secrets/a, secrets default/a",
			"/api/v1/namespaces/default/secrets, secrets in namespace default", "/api/v1/secrets, secrets",
			"/api/v1/namespaces/default, namespaces default", "/api/v1/namespaces, namespaces",
			"/apis/apps/v1/namespaces/default/deployments/a/status, deployments/status default/a",
			"/apis/example.com/v1/rings/one, rings one", "/apis/example.com/v1/rings/one/status, rings/status one",
			"/apis/apps, /apis/apps", "/version, /version" })
	void namesTheObject(String path, String description) {
		assertThat(ApiRequest.of("GET", path).description()).isEqualTo("GET " + description);
	}

	@Test
	void encodesQueryParametersInOrder() {
		ApiRequest request = ApiRequest.of("GET", "/api/v1/secrets")
			.query("labelSelector", "a=b,c notin (d)")
			.query("continue", null)
			.query("limit", "500");
		assertThat(request.pathAndQuery()).isEqualTo("/api/v1/secrets?labelSelector=a%3Db%2Cc+notin+%28d%29&limit=500");
	}

	@ParameterizedTest
	@CsvSource(quoteCharacter = '"',
			value = { "a?b, a%3Fb", "a b#c, a%20b%23c", "system:node@x, system:node@x",
					"ü€😀, %C3%BC%E2%82%AC%F0%9F%98%80", "a%2Fb, a%252Fb", "[]{}|^`<>, %5B%5D%7B%7D%7C%5E%60%3C%3E",
					"~-._, ~-._" })
	void encodesWhatASegmentOfThePathHolds(String name, String encoded) {
		assertThat(ApiRequest.of("GET", "/api/v1/secrets/" + name).query("limit", "1").pathAndQuery())
			.isEqualTo("/api/v1/secrets/" + encoded + "?limit=1");
	}

	@Test
	void keepsTheBodyOutOfItsText() {
		ApiRequest request = ApiRequest.of("PATCH", "/api/v1/namespaces/n/secrets/s", MediaTypes.MERGE_PATCH,
				"{\"data\":\"hidden\"}");
		assertThat(request.toString() + request.description()).doesNotContain("hidden");
	}

	@Test
	void refusesImpossibleRequests() {
		assertThatIllegalArgumentException().isThrownBy(() -> ApiRequest.of("GET", "api"))
			.withMessage("'path' must start with a slash (is api)");
		assertThatIllegalArgumentException().isThrownBy(() -> ApiRequest.of("GET", "/api").timeout(Duration.ZERO))
			.withMessage("'timeout' must be positive (is PT0S)");
	}

	@ParameterizedTest
	@CsvSource({ "1, PT1S", "0, PT0S", "100000, PT5M" })
	void readsRetryAfterInSeconds(String header, Duration expected) {
		assertThat(Refusal.seconds(header)).isEqualTo(expected);
		ApiRequest request = ApiRequest.of("GET", "/api/v1/secrets");
		// Proxies may write it in lower case.
		ApiException seen = HttpRequests.failure(request,
				new WebSocketUpgradeResponse(null, 429, Map.of("retry-after", List.of(header))));
		assertThat(seen).isNotNull();
		assertThat(seen.retryAfter()).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "soon", "-1", "'Wed, 21 Oct 2015 07:28:00 GMT'" })
	void ignoresOtherRetryAfter(String header) {
		assertThat(Refusal.seconds(header)).isNull();
	}

	@Test
	void findsTheFailureInWhatAFutureThrew() {
		ApiException conflict = new ApiException(409, "Conflict", null, "no", null);
		assertThat(ApiException.of(new CompletionException(new ExecutionException(conflict)))).isSameAs(conflict);
		ApiException wrapped = ApiException.of(new IllegalStateException("closed"));
		assertThat(wrapped.isAnswered()).isFalse();
		assertThat(wrapped).hasMessage("IllegalStateException (closed)");
	}

}
