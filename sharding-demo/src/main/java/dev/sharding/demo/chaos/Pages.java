package dev.sharding.demo.chaos;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

import dev.sharding.demo.MergePatch;
import dev.sharding.demo.RingSite;
import dev.sharding.judge.JudgeRing;
import dev.sharding.protocol.ShardingLabels;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import org.jspecify.annotations.Nullable;

/**
 * The custom resources of an operator of three reconcilers: has users create and change
 * them, and looks whether they and what is made of them are in their places.
 */
final class Pages implements AutoCloseable {

	private static final String VERSION = "operator.example/v1";

	private static final List<Kind> KINDS = List.of(
			new Kind("WebPage", "webpages", "page-", "html", "index.html",
					List.of("configmaps", "apps/deployments", "services")),
			new Kind("Account", "accounts", "account-", "owner", "owner", List.of("configmaps")));

	private static final long CHANGE_EVERY_MILLIS = 200;

	private final KubernetesClient client;

	private final int objects;

	private final UnaryOperator<String> namespaces;

	private final Random random = new Random();

	private final AtomicLong version = new AtomicLong();

	private final ScheduledExecutorService pace = Executors.newSingleThreadScheduledExecutor();

	private @Nullable ScheduledFuture<?> changing;

	/**
	 * @param client of users
	 * @param objects how many there are of each kind, 0 for an operator without them
	 * @param namespaces which namespace an object is in, by its name
	 */
	Pages(KubernetesClient client, int objects, UnaryOperator<String> namespaces) {
		this.client = client;
		this.objects = objects;
		this.namespaces = namespaces;
	}

	void create() {
		for (Kind kind : KINDS) {
			for (int i = 0; i < this.objects; i++) {
				String name = kind.name(i);
				this.client
					.resource(new GenericKubernetesResourceBuilder().withApiVersion(VERSION)
						.withKind(kind.kind())
						.withNewMetadata()
						.withName(name)
						.withNamespace(this.namespaces.apply(name))
						.endMetadata()
						.addToAdditionalProperties("spec", Map.of(kind.field(), next()))
						.build())
					.create();
			}
		}
	}

	private String next() {
		return "version " + this.version.incrementAndGet();
	}

	/** Starts to change random ones. */
	void startUpdates() {
		if (this.objects > 0) {
			this.changing = this.pace.scheduleAtFixedRate(this::change, CHANGE_EVERY_MILLIS, CHANGE_EVERY_MILLIS,
					TimeUnit.MILLISECONDS);
		}
	}

	/** Stops that until it is started again. */
	void stopUpdates() throws Exception {
		if (this.changing != null) {
			this.changing.cancel(false);
			Future<?> ended = this.pace.submit(() -> {
			});
			ended.get(1, TimeUnit.MINUTES);
		}
	}

	private void change() {
		Kind kind = KINDS.get(this.random.nextInt(KINDS.size()));
		String name = kind.name(this.random.nextInt(this.objects));
		try {
			MergePatch.response(this.client, "/apis/" + VERSION + "/namespaces/" + this.namespaces.apply(name) + "/"
					+ kind.plural() + "/" + name, "{\"spec\":{\"" + kind.field() + "\":\"" + next() + "\"}}");
		}
		catch (RuntimeException ex) {
			// The API server is away now and then, and the next one is not.
			this.version.incrementAndGet();
		}
	}

	/** What is not in its place in a namespace, in words. */
	List<String> wrong(String namespace, RingSite site, JudgeRing owners, KubernetesClient admin) {
		List<String> wrong = new ArrayList<>();
		if (this.objects > 0) {
			KINDS.forEach((kind) -> look(kind, namespace, site, owners, admin, wrong));
		}
		return wrong;
	}

	private static void look(Kind kind, String namespace, RingSite site, JudgeRing owners, KubernetesClient admin,
			List<String> wrong) {
		Map<String, Map<String, HasMetadata>> parts = new HashMap<>();
		kind.parts().forEach((part) -> parts.put(part, parts(part, namespace, admin)));
		for (GenericKubernetesResource object : admin.genericKubernetesResources(VERSION, kind.kind())
			.inNamespace(namespace)
			.list()
			.getItems()) {
			String name = object.getMetadata().getName();
			String owner = owners.owner("operator.example/" + kind.kind() + "/" + namespace + "/" + name);
			String what = wrong(kind, object, parts, String.valueOf(owner), site);
			if (!what.isEmpty()) {
				wrong.add("%s %s/%s, which is for %s: %s".formatted(kind.kind(), namespace, name, owner, what));
			}
		}
	}

	private static Map<String, HasMetadata> parts(String part, String namespace, KubernetesClient admin) {
		List<? extends HasMetadata> found = switch (part) {
			case "configmaps" -> admin.configMaps().inNamespace(namespace).list().getItems();
			case "services" -> admin.services().inNamespace(namespace).list().getItems();
			default -> admin.apps().deployments().inNamespace(namespace).list().getItems();
		};
		Map<String, HasMetadata> byName = new HashMap<>();
		found.forEach((object) -> byName.put(object.getMetadata().getName(), object));
		return byName;
	}

	private static String wrong(Kind kind, GenericKubernetesResource object,
			Map<String, Map<String, HasMetadata>> parts, String owner, RingSite site) {
		if (!owner.equals(Places.owner(object, site))) {
			return "its owner is '" + Places.owner(object, site) + "'";
		}
		if (object.getMetadata().getLabels().containsKey(ShardingLabels.drain(site.name()))) {
			return "it is to be let go";
		}
		if (!(object.get("status", "observedGeneration") instanceof Number observed)
				|| observed.longValue() != object.getMetadata().getGeneration()) {
			return "its status is not up to date";
		}
		for (Map.Entry<String, Map<String, HasMetadata>> part : parts.entrySet()) {
			HasMetadata found = part.getValue().get(kind.prefix() + object.getMetadata().getName());
			if (found == null || !owner.equals(Places.owner(found, site))) {
				return (found == null) ? "it has no " + part.getKey()
						: "the owner of its " + part.getKey() + " is '" + Places.owner(found, site) + "'";
			}
			if (found instanceof ConfigMap content && !String.valueOf((Object) object.get("spec", kind.field()))
				.equals(content.getData().get(kind.key()))) {
				return "its content is not up to date";
			}
		}
		return "";
	}

	@Override
	public void close() throws Exception {
		stopUpdates();
		this.pace.shutdownNow();
	}

	/**
	 * A custom resource.
	 *
	 * @param prefix what the names of its parts begin with
	 * @param field what users change
	 * @param key where the ConfigMap has that
	 * @param parts resources of which it has one object each
	 */
	private record Kind(String kind, String plural, String prefix, String field, String key, List<String> parts) {

		String name(int number) {
			return this.prefix + number;
		}

	}

}
