package dev.sharding.demo.held;

import java.nio.ByteBuffer;
import java.util.List;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.http.Interceptor;

/**
 * Can be held before a patch of a main object is sent, and when its answer has come: by a
 * shard that is its acknowledgement of a drain.
 *
 * @param before the name of the first point
 * @param after the name of the second point
 */
record HeldPatches(String before, String after) implements Interceptor {

	@Override
	public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
		pass(this.before, request);
	}

	@Override
	public void after(HttpRequest request, HttpResponse<?> response, AsyncBody.Consumer<List<ByteBuffer>> consumer) {
		if (response.isSuccessful()) {
			pass(this.after, request);
		}
	}

	private static void pass(String point, HttpRequest request) {
		String[] path = request.uri().getPath().split("/");
		if (request.method().equals("PATCH") && path[path.length - 2].equals("secrets")) {
			HoldPoints.pass(point, path[path.length - 1]);
		}
	}

}
