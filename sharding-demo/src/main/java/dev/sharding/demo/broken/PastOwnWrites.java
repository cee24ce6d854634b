package dev.sharding.demo.broken;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import dev.sharding.cache.ResourceCache;
import dev.sharding.demo.held.HeldShard;
import dev.sharding.example.ChecksumApplication;
import io.fabric8.kubernetes.api.model.HasMetadata;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * A shard whose reads show for two seconds after a write of its own what was there before
 * it.
 */
public final class PastOwnWrites {

	private static final long PAST_NANOS = TimeUnit.SECONDS.toNanos(2);

	private PastOwnWrites() {
	}

	/** Runs the example app with the fault. */
	public static void main(String[] arguments) {
		new SpringApplication(ChecksumApplication.class, HeldShard.Additions.class, Fault.class).run(arguments);
	}

	/** What is wrong. */
	@Configuration(proxyBeanMethods = false)
	public static class Fault {

		@Bean
		static BeanPostProcessor past() {
			return new BeanPostProcessor() {

				@Override
				public Object postProcessAfterInitialization(Object bean, String name) {
					return (bean instanceof ResourceCache<?> cache) ? new Past(cache).proxy() : bean;
				}

			};
		}

	}

	/** Remembers what each object was before the last update. */
	private static final class Past {

		private final ResourceCache<?> cache;

		private final Map<String, HasMetadata> shown = new ConcurrentHashMap<>();

		private final Map<String, Before> before = new ConcurrentHashMap<>();

		Past(ResourceCache<?> cache) {
			this.cache = cache;
		}

		Object proxy() {
			return Proxy.newProxyInstance(ResourceCache.class.getClassLoader(), new Class<?>[] { ResourceCache.class },
					(proxy, method, arguments) -> called(method, arguments));
		}

		private Object called(Method method, Object[] arguments) throws Throwable {
			boolean get = method.getName().equals("get") && arguments.length == 2 && arguments[0] instanceof String
					&& arguments[1] instanceof String;
			String key = get ? arguments[0] + "/" + arguments[1] : "";
			Before past = get ? this.before.get(key) : null;
			if (past != null && FaultSwitch.isOn() && System.nanoTime() - past.nanos() < PAST_NANOS) {
				return Optional.of(past.object());
			}
			Object answer = real(method, arguments);
			if (get && answer instanceof Optional<?> found && found.isPresent()
					&& found.get() instanceof HasMetadata object) {
				this.shown.put(key, object);
			}
			else if (method.getName().equals("update") && answer instanceof HasMetadata updated) {
				String of = updated.getMetadata().getNamespace() + "/" + updated.getMetadata().getName();
				HasMetadata was = this.shown.get(of);
				if (was != null) {
					this.before.put(of, new Before(was, System.nanoTime()));
				}
			}
			return answer;
		}

		private Object real(Method method, Object[] arguments) throws Throwable {
			try {
				return method.invoke(this.cache, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getTargetException();
			}
		}

	}

	private record Before(HasMetadata object, long nanos) {
	}

}
