package dev.sharding.demo;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;

/** One request for one patch: the client's own way reads the object first. */
public final class MergePatch {

	private static final Duration TIMEOUT = Duration.ofSeconds(30);

	private MergePatch() {
	}

	/** Sends the patch and waits for the answer. */
	public static void send(KubernetesClient client, String path, String patch) {
		HttpResponse<String> response = response(client, path, patch);
		if (!response.isSuccessful()) {
			throw new IllegalStateException("Failed to PATCH " + path + ": " + response.code() + " " + response.body());
		}
	}

	/**
	 * Sends the patch and waits for the answer.
	 * @param client sends it
	 * @param path of the object
	 * @param patch in JSON
	 * @return the answer
	 */
	public static HttpResponse<String> response(KubernetesClient client, String path, String patch) {
		HttpRequest request = client.getHttpClient()
			.newHttpRequestBuilder()
			.uri(URI.create(client.getMasterUrl().toString()).resolve(path))
			.patch("application/merge-patch+json", patch)
			.build();
		return client.getHttpClient()
			.sendAsync(request, String.class)
			.orTimeout(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
			.join();
	}

}
