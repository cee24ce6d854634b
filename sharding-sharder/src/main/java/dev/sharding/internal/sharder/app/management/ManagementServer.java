package dev.sharding.internal.sharder.app.management;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;

import dev.sharding.internal.sharder.http.Listener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;

/**
 * The listeners for health, metrics and other endpoints. They start before all else and
 * stop after it, so that probes are answered meanwhile.
 */
final class ManagementServer implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

	private static final Logger log = LoggerFactory.getLogger(ManagementServer.class);

	private final ConfigurableEnvironment environment;

	private final List<Place> places;

	private volatile boolean running;

	/**
	 * Creates a server.
	 * @param environment is told the ports
	 * @param places the listeners
	 */
	ManagementServer(ConfigurableEnvironment environment, List<Place> places) {
		this.environment = environment;
		this.places = List.copyOf(places);
	}

	/* Spring Boot says so only where it has a web server of its own. */
	@Override
	public void onApplicationEvent(ContextClosedEvent event) {
		AvailabilityChangeEvent.publish(event.getApplicationContext(), ReadinessState.REFUSING_TRAFFIC);
	}

	@Override
	public void start() {
		List<Place> open = new ArrayList<>();
		try {
			for (Place place : this.places) {
				listen(place);
				open.add(place);
			}
		}
		catch (RuntimeException ex) {
			open.forEach((place) -> place.listener().close());
			throw ex;
		}
		this.running = true;
	}

	private void listen(Place place) {
		try {
			place.listener().listen();
		}
		catch (ExecutionException | TimeoutException ex) {
			throw new ListenException(place.property(), place.port(), (ex.getCause() != null) ? ex.getCause() : ex);
		}
		int port = place.listener().port();
		log.info("Listens for health and metrics property={} port={}", place.property(), port);
		// As Spring Boot tells the ports of its servers.
		String name = "local." + place.property();
		this.environment.getPropertySources().addFirst(new MapPropertySource(name, Map.of(name, port)));
	}

	@Override
	public void stop() {
		this.running = false;
		this.places.forEach((place) -> place.listener().close());
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public int getPhase() {
		return SmartLifecycle.DEFAULT_PHASE - 2048;
	}

	/**
	 * A listener and where its port comes from.
	 *
	 * @param property the property that names the port
	 * @param port the port
	 * @param listener the listener
	 */
	record Place(String property, int port, Listener listener) {
	}

}
