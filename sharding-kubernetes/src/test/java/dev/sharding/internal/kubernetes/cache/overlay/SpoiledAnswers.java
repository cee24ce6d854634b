package dev.sharding.internal.kubernetes.cache.overlay;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import org.jspecify.annotations.Nullable;

import dev.sharding.test.Access;
import dev.sharding.test.AnswerProxy;
import dev.sharding.test.AnswerProxy.Answer;
import dev.sharding.test.AnswerProxy.Request;
import dev.sharding.test.ControlPlane;

/**
 * Whatever stands before the API server, and spoils its answers: one planned answer for
 * each request, of which the last is repeated.
 */
public final class SpoiledAnswers implements AutoCloseable {

	/** What the API server said itself. */
	public static final Answer TRUE = new Answer(0, Map.of(), "");

	/** Happens before each answer. */
	volatile Runnable meanwhile = () -> {
	};

	/** What is said to a query, {@code null} for the next answer. */
	volatile Function<String, @Nullable Answer> byQuery = (query) -> null;

	public final KubernetesClient client;

	private final List<Answer> answers;

	private final AnswerProxy proxy;

	public SpoiledAnswers(ControlPlane cluster, Answer... answers) {
		this(cluster.admin(), answers);
	}

	SpoiledAnswers(Access access, Answer... answers) {
		this.answers = List.of(answers);
		this.proxy = AnswerProxy.before(access, this::spoiled);
		this.client = new KubernetesClientBuilder().withConfig(this.proxy.config()).build();
	}

	public static Answer ok(String body) {
		return new Answer(200, Map.of(), body);
	}

	public static Answer status(int status, String body) {
		return new Answer(status, Map.of(), body);
	}

	public static Answer refusal(int status, int retryAfterSeconds) {
		return new Answer(status, Map.of("Retry-After", String.valueOf(retryAfterSeconds)), "{}");
	}

	/** The requests so far. */
	public List<Request> requests() {
		return this.proxy.requests();
	}

	/** What each request asked, behind its path. */
	public List<String> queries() {
		return requests().stream().map(Request::query).toList();
	}

	/** How long each request came after the one before. */
	public List<Duration> pauses() {
		List<Request> all = requests();
		return IntStream.range(1, all.size())
			.mapToObj((i) -> Duration.ofNanos(all.get(i).nanos() - all.get(i - 1).nanos()))
			.toList();
	}

	private @Nullable Answer spoiled(Request request) {
		Answer fixed = this.byQuery.apply(request.query());
		Answer answer = (fixed != null) ? fixed : this.answers.get(Math.min(request.number(), this.answers.size() - 1));
		this.meanwhile.run();
		return (answer == TRUE) ? null : answer;
	}

	@Override
	public void close() {
		this.client.close();
		this.proxy.close();
	}

}
