package dev.sharding.internal.sharder;

import java.time.InstantSource;
import java.util.Map;
import java.util.function.Predicate;

import dev.sharding.internal.kubernetes.rest.http.RequestGuard;
import dev.sharding.internal.sharder.assignment.metadata.HandOverOrder;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;

/**
 * The API server as a sharder reaches it: what passes can be kept on its way, and answers
 * can be lost.
 */
final class GatedApi implements AutoCloseable {

	/** Requests pass both. */
	final Gate requests = new Gate();

	final Gate lists = new Gate();

	final Gate answers = new Gate();

	private final AnswerProxy proxy;

	private final KubernetesClient client;

	private volatile Predicate<Request> spoiled = (request) -> false;

	GatedApi(ControlPlane controlPlane) {
		this.proxy = AnswerProxy.before(controlPlane.admin(), (request) -> {
			this.requests.pass(request);
			this.lists.pass(request);
		}, this::answer);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
	}

	/** The next of these is told that the API server is not available. */
	void spoilNext(Predicate<Request> answered) {
		this.spoiled = answered;
	}

	/** Runs a sharder that has no other way. */
	void start(World world) {
		start(world, World.AT_ONCE);
	}

	/** Runs a sharder of that kind with other options. */
	void start(World world, SharderOptions options) {
		world.run(new Sharder(this.client, options, Surroundings.usual(), world.metrics, InstantSource.system(),
				System::nanoTime, RequestGuard.NONE, HandOverOrder.CONTROLLED_OBJECTS_FIRST));
	}

	/** Lets all pass. */
	void open() {
		this.requests.open();
		this.lists.open();
		this.answers.open();
	}

	/** To be called when the sharder has ended. */
	@Override
	public void close() {
		this.client.close();
		this.proxy.close();
	}

	private @Nullable Answer answer(Request request) {
		this.answers.pass(request);
		if (this.spoiled.test(request)) {
			this.spoiled = (none) -> false;
			return new Answer(503, Map.of(), "{}");
		}
		return null;
	}

}
