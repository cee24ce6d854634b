package dev.sharding.demo.held;

import io.fabric8.kubernetes.client.http.BasicBuilder;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;

/**
 * Can be held before a patch of a main object is sent: by a shard that is its
 * acknowledgement of a drain.
 *
 * @param point the name of the point
 */
record HeldPatches(String point) implements Interceptor {

	@Override
	public void before(BasicBuilder builder, HttpRequest request, RequestTags tags) {
		String[] path = request.uri().getPath().split("/");
		if (request.method().equals("PATCH") && path[path.length - 2].equals("secrets")) {
			HoldPoints.pass(this.point, path[path.length - 1]);
		}
	}

}
