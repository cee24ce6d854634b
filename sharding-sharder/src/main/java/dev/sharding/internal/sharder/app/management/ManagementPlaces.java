package dev.sharding.internal.sharder.app.management;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

import dev.sharding.internal.sharder.http.Bodies;
import dev.sharding.internal.sharder.http.CurrentKey;
import dev.sharding.internal.sharder.http.Listener;
import dev.sharding.internal.sharder.http.RequestLimits;
import dev.sharding.internal.sharder.http.ServerMetrics;
import dev.sharding.internal.sharder.http.ServerOptions;
import dev.sharding.internal.sharder.http.WebStack;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Handler;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointProperties;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.ExposableWebEndpoint;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.health.actuate.endpoint.AdditionalHealthEndpointPath;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroup;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;

/**
 * Makes the listeners of the endpoints: one, or where the management port is another, one
 * for the further paths of health and one for all endpoints.
 */
final class ManagementPlaces {

	private final WebStack stack;

	private final Collection<ExposableWebEndpoint> endpoints;

	private final WebEndpointProperties web;

	private final @Nullable HealthEndpointGroups groups;

	private final ManagementProperties properties;

	private final KubernetesSerialization json;

	private final Supplier<Guard> guard;

	private final MeterRegistry registry;

	private final @Nullable RingsEndpoint rings;

	/**
	 * Creates an object that makes listeners.
	 * @param guard makes what a listener needs that is not for everybody
	 * @param rings what the page shows, {@code null} for no page
	 */
	ManagementPlaces(WebStack stack, Collection<ExposableWebEndpoint> endpoints, WebEndpointProperties web,
			@Nullable HealthEndpointGroups groups, ManagementProperties properties, KubernetesSerialization json,
			Supplier<Guard> guard, MeterRegistry registry, @Nullable RingsEndpoint rings) {
		this.stack = stack;
		this.endpoints = endpoints;
		this.web = web;
		this.groups = groups;
		this.properties = properties;
		this.json = json;
		this.guard = guard;
		this.registry = registry;
		this.rings = rings;
	}

	List<ManagementServer.Place> of(ManagementAddress main, @Nullable ManagementAddress management) {
		List<ManagementServer.Place> places = new ArrayList<>();
		boolean apart = management != null && !management.isSame(main);
		boolean secure = this.properties.isSecure(apart);
		add(places, main, "main", WebServerNamespace.SERVER, !apart, null);
		if (management != null && apart) {
			add(places, management, "management", WebServerNamespace.MANAGEMENT, true,
					secure ? this.guard.get() : null);
		}
		return places;
	}

	private void add(List<ManagementServer.Place> places, ManagementAddress address, String name,
			WebServerNamespace namespace, boolean all, @Nullable Guard guarded) {
		if (address.port() < 0) {
			return;
		}
		ServerOptions options = new ServerOptions(address.host(), address.port(),
				this.properties.limits().toConnectionLimits(),
				this.properties.limits().toRequestLimits(RequestLimits.SMALL));
		ServerMetrics metrics = new ServerMetrics(this.registry, name);
		EndpointPaths paths = new EndpointPaths(all ? this.web.getBasePath() : null,
				this.web.getDiscovery().isEnabled(), this.endpoints, further(namespace), this.json);
		Bodies bodies = new Bodies(this.stack, options.requests(), (status) -> metrics.refused(String.valueOf(status)));
		WorkerExecutor workers = this.stack.workers(name);
		Handler<HttpServerRequest> handler = new EndpointHandler(paths, namespace, workers, bodies,
				this.properties.answerTimeout());
		if (all && this.rings != null && isExposed(RingsEndpoint.ID)) {
			handler = new Page(new PageStreams(this.rings::rings, this.json, this.stack, workers, bodies), bodies,
					handler);
		}
		if (guarded != null) {
			handler = new GuardedHandler(guarded.access(), bodies, handler);
		}
		places.add(new ManagementServer.Place(address.property(), address.port(),
				new Listener(this.stack, options, (guarded != null) ? guarded.key() : null, handler, metrics)));
	}

	private boolean isExposed(String endpoint) {
		return this.endpoints.stream().anyMatch((one) -> one.getEndpointId().equals(EndpointId.of(endpoint)));
	}

	/* Such as /readyz, where health is exposed. */
	private Map<String, String> further(WebServerNamespace namespace) {
		Map<String, String> further = new HashMap<>();
		String root = this.endpoints.stream()
			.filter((endpoint) -> endpoint.getEndpointId().equals(HealthEndpoint.ID))
			.map(ExposableWebEndpoint::getRootPath)
			.findFirst()
			.orElse(null);
		if (root == null || this.groups == null) {
			return further;
		}
		for (String name : this.groups.getNames()) {
			HealthEndpointGroup group = this.groups.get(name);
			AdditionalHealthEndpointPath path = (group != null) ? group.getAdditionalPath() : null;
			if (path != null && path.hasNamespace(namespace)) {
				String value = path.getValue();
				further.put(value.startsWith("/") ? value : "/" + value, "/" + root + "/" + name);
			}
		}
		return further;
	}

	/**
	 * What a listener needs that is not for everybody.
	 *
	 * @param key what it shakes hands with
	 * @param access who may ask
	 */
	record Guard(CurrentKey key, AccessReviews access) {
	}

}
