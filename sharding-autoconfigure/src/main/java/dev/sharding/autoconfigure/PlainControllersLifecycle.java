package dev.sharding.autoconfigure;

import org.springframework.context.SmartLifecycle;

import dev.sharding.kubernetes.PlainControllers;

/**
 * Starts the controllers outside any ring after everything else, and stops them first.
 */
final class PlainControllersLifecycle implements SmartLifecycle {

	private final PlainControllers controllers;

	private final ControllerSpecs specs;

	private final InformerMetrics metrics;

	private volatile boolean running;

	PlainControllersLifecycle(PlainControllers controllers, ControllerSpecs specs, InformerMetrics metrics) {
		this.controllers = controllers;
		this.specs = specs;
		this.metrics = metrics;
	}

	@Override
	public void start() {
		this.specs.plain().forEach(this.controllers::add);
		this.controllers.start();
		this.metrics.bind(this.controllers::informers);
		this.metrics.bindOverlays(this.controllers::overlays);
		this.running = true;
	}

	@Override
	public void stop() {
		this.running = false;
		this.controllers.close();
	}

	@Override
	public void stop(Runnable callback) {
		BackgroundStop.begin("sharding-plain-stop", this::stop, callback);
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

	@Override
	public boolean isPauseable() {
		return false;
	}

}
