import { MongoClient } from 'mongodb';
const url=process.env.RS;
const c=new MongoClient(url,{monitorCommands:true});
await c.connect();
const hello=await c.db('admin').command({hello:1});
const others=hello.hosts.filter(h=>h!==hello.primary).map(h=>new MongoClient(`mongodb://${h}/?directConnection=true`));
for(const o of others) await o.db('admin').command({configureFailPoint:'stopReplProducer',mode:'alwaysOn'});
const t=c.db('dbg').collection('x',{writeConcern:{w:'majority'}});
t.insertOne({a:1}).catch(()=>0);
await new Promise(r=>setTimeout(r,1500));
for (const level of ['local','majority']) {
const r=await c.db('dbg').command({find:'x',filter:{},readConcern:{level}});
console.log(level,r.operationTime, r.cursor.firstBatch.length);
}
const h=await c.db('admin').command({hello:1});
console.log(JSON.stringify(h.lastWrite));
for(const o of others) {await o.db('admin').command({configureFailPoint:'stopReplProducer',mode:'off'}); await o.close();}
await c.db('dbg').dropDatabase();
await c.close();
